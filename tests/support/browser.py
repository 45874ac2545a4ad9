# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium by selenium. MISSING says what is not here, or is None."""

import io
import shutil

try:
    from PIL import Image
    from selenium import webdriver
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.wait import WebDriverWait
    MISSING = None if shutil.which("chromedriver") else "there is no chromedriver (Debian: chromium-driver)"
except ImportError as error:
    MISSING = f"{error} (Debian: python3-selenium, python3-pil)"


def start(case):
    """A browser that ends with the tests of a class."""
    options = webdriver.ChromeOptions()
    for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{word}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.ignore_local_proxy_environment_variables()
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    case.addClassCleanup(driver.quit)
    return driver


def size(driver, width, height):
    """Sets the size of the page in pixels; that of a window would include its frame."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


def text_once(driver, holds, seconds=60):
    """The document, as soon as it has what it is to have."""
    def look(driver):
        text = driver.page_source
        return text if holds(text) else None

    try:
        return WebDriverWait(driver, seconds, 0.1).until(look)
    except TimeoutException as late:
        raise AssertionError(driver.page_source) from late


def picture(driver):
    """(PNG of the page, its width, its height, its number of colours): an empty page has one."""
    png = driver.get_screenshot_as_png()
    image = Image.open(io.BytesIO(png)).convert("RGB")
    return png, *image.size, len(image.getcolors(image.width * image.height))
