// SPDX-License-Identifier: Apache-2.0
'use strict';
// Asks for the status twice a second and draws it. What comes from the service is text, never markup.
const lanes = ['producer', 'upload', 'device', 'host', 'reclaim'];
const span_s = 30, rows_shown = 8, svg = 'http://www.w3.org/2000/svg';
const at = (id) => document.getElementById(id);
const chart_s = 600, bin_s = 15;
let token = sessionStorage.getItem('token') ?? '', spans = [], last = 0, newest = 0, waiting = false;
const proofs = new Map(); // done in the last ten minutes, by number

if (location.hash.startsWith('#token=')) {
  token = decodeURIComponent(location.hash.slice(7));
  sessionStorage.setItem('token', token);
  history.replaceState(null, '', '/');
}

async function ask(path) {
  const headers = token ? {Authorization: 'Bearer ' + token} : {};
  const answer = await fetch(path, {headers, cache: 'no-store', credentials: 'omit'});
  if (answer.status === 401) {
    at('login').hidden = false;
    document.querySelector('main').hidden = waiting = true; // for a token: nothing is asked until then
    sessionStorage.removeItem('token');
    throw new Error(token ? 'the token is wrong' : 'a token is needed');
  }
  if (!answer.ok) throw new Error('the service answered ' + answer.status);
  return answer.json();
}

function rows(id, list) {
  const body = at(id).tBodies[0];
  body.replaceChildren(...list.map((cells) => {
    const row = document.createElement('tr');
    for (const cell of cells) {
      const td = row.insertCell();
      td.textContent = cell.text ?? cell;
      if (cell.bad) td.className = 'bad';
    }
    return row;
  }));
}

function size(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let i = 0;
  while (bytes >= 1024 && i + 1 < units.length) { bytes /= 1024; i++; }
  return bytes.toFixed(i === 0 || bytes >= 100 ? 0 : 1) + ' ' + units[i];
}

function time(ms) {
  return ms < 1000 ? ms.toFixed(0) + ' ms' : (ms / 1000).toFixed(1) + ' s';
}

function memory(status) {
  const meters = [['host, reserved', status.memory.host], ['witnesses', status.memory.witnesses]];
  for (const device of status.devices) meters.push([device.name + ', reserved', device.memory]);
  at('memory').replaceChildren(...meters.map(([name, of]) => {
    const row = document.createElement('div'), label = document.createElement('span');
    const bar = document.createElement('progress'), text = document.createElement('span');
    row.className = 'meter';
    label.textContent = name;
    bar.max = of.capacity || 1;
    bar.value = of.reserved;
    bar.setAttribute('aria-label', name);
    text.textContent = size(of.reserved) + ' of ' + size(of.capacity) + ', peak ' + size(of.peak);
    row.append(label, bar, text);
    return row;
  }));
}

function element(name, attributes, text) {
  const made = document.createElementNS(svg, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
}

function waterfall(now) {
  const picture = at('waterfall'), width = picture.clientWidth || 800, left = 70, height = 30;
  const x = (ns) => left + (width - left) * Math.max(0, 1 + (ns - now) / 1e9 / span_s);
  const drawn = [];
  picture.setAttribute('viewBox', `0 0 ${width} 190`);
  for (let s = 0; s <= span_s; s += 5) {
    const at_x = x(now - 1e9 * s);
    drawn.push(element('line', {x1: at_x, x2: at_x, y1: 0, y2: 165}),
               element('text', {x: at_x, y: 182, 'text-anchor': s === 0 ? 'end' : 'middle'}, s === 0 ? 'now' : '−' + s + ' s'));
  }
  lanes.forEach((lane, i) => {
    drawn.push(element('text', {x: 0, y: 20 + i * (height + 2)}, lane));
    for (const span of spans) {
      if (span.lane !== lane) continue;
      const begin = x(span.begin_ns), end = x(span.end_ns);
      const bar = element('rect', {class: lane, x: begin, y: 4 + i * (height + 2), width: Math.max(1, end - begin),
                                   height: height - 6, 'fill-opacity': .75});
      bar.append(element('title', {}, `job ${span.number}: ${span.kind}, ${time((span.end_ns - span.begin_ns) / 1e6)}`));
      drawn.push(bar);
    }
  });
  picture.replaceChildren(...drawn);
}

function percentile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

// Proofs of each bin as a bar, and the percentiles of their times as lines.
function chart(now) {
  const picture = at('chart'), width = picture.clientWidth || 800, bottom = 88, n = chart_s / bin_s;
  const bins = Array.from({length: n}, () => []), done = [];
  for (const [number, job] of proofs) {
    const age = Math.max(0, now - job.ended_ns) / 1e9;
    if (age >= chart_s) proofs.delete(number);
    else {
      bins[n - 1 - Math.floor(age / bin_s)].push(job.elapsed_ms);
      done.push(job.elapsed_ms);
    }
  }
  for (const list of [done, ...bins]) list.sort((a, b) => a - b);
  const most = Math.max(1, ...bins.map((bin) => bin.length)), longest = Math.max(1, ...done), step = width / n;
  const drawn = [element('line', {x1: 0, x2: width, y1: bottom, y2: bottom})];
  bins.forEach((bin, i) => {
    const high = 70 * bin.length / most;
    if (bin.length > 0)
      drawn.push(element('rect', {x: i * step, y: bottom - high, width: step - 1, height: high, 'fill-opacity': .35}));
  });
  for (const [name, part] of [['p50', .5], ['p95', .95]]) {
    const points = bins.map((bin, i) => bin.length > 0 ?
        `${(i + .5) * step},${bottom - 70 * percentile(bin, part) / longest}` : '').filter(Boolean);
    drawn.push(element('polyline', {class: name, points: points.join(' ')}));
  }
  drawn.push(element('text', {x: 0, y: 12}, `bars: up to ${count(most)} in ${bin_s} s; lines: median and 95th percentile, ` +
      `up to ${time(longest)}`), element('text', {x: 0, y: 104}, '−10 min'),
             element('text', {x: width, y: 104, 'text-anchor': 'end'}, 'now'));
  picture.setAttribute('viewBox', `0 0 ${width} 110`);
  picture.replaceChildren(...drawn);
  at('rates').textContent = done.length === 0 ? 'no proof in the last ten minutes' :
      `${count(done.length)} in the last ten minutes, ${(60 * done.length / chart_s).toFixed(1)} a minute; ` +
      `half within ${time(percentile(done, .5))}, 95 % within ${time(percentile(done, .95))}, ` +
      `99 % within ${time(percentile(done, .99))}`;
}

function count(n) {
  return n + (n === 1 ? ' proof' : ' proofs');
}

function lost(device) {
  return device.next_try_s === null ? `lost, after ${device.tries} tries` :
      `lost, tried again in ${Math.ceil(device.next_try_s)} s`;
}

function show(status, keys) {
  at('version').textContent = status.version;
  at('state').textContent = status.state + ', up ' + time(1000 * status.uptime_s);
  const counts = status.counts;
  at('queue').textContent = `${status.queue.taken} of ${status.queue.places} places taken; ${counts.done} done, ` +
      `${counts.failed} failed, ${counts.cancelled} cancelled, ${counts.refused} refused, ${counts.redone} redone; ` +
      `${status.queue.results} results kept`;
  const shown = status.jobs.slice(0, rows_shown), left = status.queue.taken - shown.length;
  rows('jobs', shown.map((job) => [job.number, job.key, job.state, time(job.elapsed_ms), job.device ?? '']));
  at('more').textContent = left > 0 ? `and ${left} more` : '';
  for (const job of status.ended) if (job.state === 'done') proofs.set(job.number, job);
  const latest = [...status.ended].sort((a, b) => b.ended_ns - a.ended_ns).slice(0, rows_shown);
  rows('ended', latest.map((job) => [
    job.number, job.key, job.state === 'done' ? job.state : {text: job.state, bad: true}, time(job.elapsed_ms),
    size(job.witness_bytes), time((status.now_ns - job.ended_ns) / 1e6) + ' ago']));
  chart(status.now_ns);
  rows('devices', status.devices.map((device) => [
    device.name, device.lost ? {text: lost(device), bad: true} : device.spare ? 'spare' : 'in use', device.jobs,
    device.keys_loaded - device.keys_evicted, (device.busy_ms / 10 / status.uptime_s).toFixed(1) + ' %']));
  rows('keys', keys.keys.map((key) => [
    key.name, key.state === 'bad' ? {text: 'bad: ' + key.error, bad: true} : key.state, key.curve ?? '',
    key.variables ?? '', key.jobs]));
  memory(status);
}

async function turn() {
  try {
    const [status, keys, more] = [await ask('/status'), await ask('/keys'), await ask('/spans?after=' + last)];
    at('login').hidden = true;
    document.querySelector('main').hidden = false;
    if (more.last < last) { // another process by now
      spans = [];
      proofs.clear();
    }
    last = more.last;
    newest = more.now_ns;
    spans = spans.concat(more.spans).filter((span) => span.end_ns > newest - 1e9 * span_s);
    show(status, keys);
    waterfall(newest);
    document.body.dataset.shown = String(status.counts.done);
  } catch (error) {
    at('state').textContent = error.message;
  }
}

at('legend').replaceChildren(...lanes.map((lane) => {
  const entry = document.createElement('span'), colour = document.createElement('i');
  colour.className = lane;
  entry.append(colour, lane);
  return entry;
}));
at('login').addEventListener('submit', (event) => {
  event.preventDefault();
  token = at('token').value;
  at('token').value = '';
  sessionStorage.setItem('token', token);
  waiting = false;
  turn();
});
async function go_on() {
  if (!document.hidden && !waiting) await turn();
  setTimeout(go_on, 500);
}
go_on();
