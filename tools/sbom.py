# SPDX-License-Identifier: Apache-2.0
"""Contents of the packages of a release, as SPDX 2.3 in JSON: a software bill of materials.

Each package has its checksum, each file in it its own, and what a package for Debian depends on is a package without
files. The same packages give the same bytes."""

import hashlib
import io
import json
import lzma
import re
import subprocess
import tarfile
import zipfile

LICENSE = "Apache-2.0"
SUPPLIER = "Organization: the Pail contributors"
FILES_MAX = 100000  # of an archive


def checksums(data):
    """SPDX wants SHA-1 of files, and readers of today another one."""
    return [{"algorithm": name, "checksumValue": hashlib.new(name.lower(), data).hexdigest()} for name in ("SHA1", "SHA256")]


def tar_files(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            if member.isfile():
                yield "./" + member.name.removeprefix("./"), tar.extractfile(member).read()


def files_of(path):
    """(name, bytes) of the files in a package, sorted; links have none."""
    if path.suffix == ".deb":
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True).stdout
        found = tar_files(data)
    elif path.suffix == ".whl":
        archive = zipfile.ZipFile(path)
        found = ((f"./{name}", archive.read(name)) for name in archive.namelist() if not name.endswith("/"))
    elif path.suffix == ".xz":
        found = tar_files(lzma.decompress(path.read_bytes()))
    else:
        found = tar_files(path.read_bytes())
    files = sorted(found)
    if len(files) > FILES_MAX:
        raise ValueError(f"{path}: has {len(files)} files, more than {FILES_MAX}")
    return files


def depends(path):
    """Names of the packages that a package for Debian depends on, with their versions: of alternatives the first."""
    if path.suffix != ".deb":
        return []
    fields = subprocess.run(["dpkg-deb", "--field", path, "Pre-Depends", "Depends"], check=True, capture_output=True, text=True).stdout
    words = " ".join(line.partition(":")[2] if ":" in line and not line.startswith(" ") else line for line in fields.splitlines())
    found = re.findall(r"(?:^|,)\s*([a-z0-9][a-z0-9.+-]*)(?::\w+)?\s*(?:\(([^)]*)\))?", words.replace("\n", ","))
    return sorted(set(found))


def identifier(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package_of(path, version, files):
    codes = sorted(entry["checksums"][0]["checksumValue"] for entry in files)
    return {"SPDXID": identifier("Package", path.name), "name": path.name, "versionInfo": version, "packageFileName": path.name,
            "supplier": SUPPLIER, "downloadLocation": "NOASSERTION", "filesAnalyzed": True,
            "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}],
            "packageVerificationCode": {"packageVerificationCodeValue": hashlib.sha1("".join(codes).encode()).hexdigest()},
            "licenseConcluded": LICENSE, "licenseDeclared": LICENSE, "licenseInfoFromFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"}


def document(paths, version, created):
    """paths: packages, which are there. created: of the release, "2026-01-31T12:00:00Z"."""
    packages, files, relations, others = [], [], [], {}
    for path in sorted(paths, key=lambda path: path.name):
        own = []
        for number, (name, data) in enumerate(files_of(path)):
            own.append({"SPDXID": f"{identifier('File', path.name)}-{number}", "fileName": name, "checksums": checksums(data),
                        "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"})
        package = package_of(path, version, own)
        packages.append(package)
        files += own
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", package["SPDXID"]))
        relations += [(package["SPDXID"], "CONTAINS", entry["SPDXID"]) for entry in own]
        for name, needed in depends(path):
            other = identifier("Depends", f"{name}-{needed}" if needed else name)
            others[other] = {"SPDXID": other, "name": name, "versionInfo": needed or "NOASSERTION", "downloadLocation": "NOASSERTION",
                             "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
                             "copyrightText": "NOASSERTION"}
            relations.append((package["SPDXID"], "DEPENDS_ON", other))
    digest = hashlib.sha256("".join(package["checksums"][0]["checksumValue"] for package in packages).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"pail-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/pail-{version}-{digest}",
            "creationInfo": {"created": created, "creators": ["Tool: tools/release"]},
            "packages": packages + [others[name] for name in sorted(others)], "files": files,
            "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                              for one, kind, other in relations]}


def write(to, paths, version, created):
    to.write_text(json.dumps(document(paths, version, created), indent=1, ensure_ascii=True) + "\n", encoding="ascii")
    return to
