'use strict';
/* animation.js: what a run did, in 3-D: the shapes of MultiBody from the result's variables, drawn by three.js, which the server gives when the
 * first animation is asked for. A shape has R.T, r, r_shape, lengthDirection, widthDirection, length, width, height, extra and color; its kind is
 * a text, which the class says. Each frame interpolates between two rows. */

const scene = { three: null, run: null, shapes: [], times: null, playing: null, now: 0 };
const PARTS = ['R.T[1,1]', 'R.T[1,2]', 'R.T[1,3]', 'R.T[2,1]', 'R.T[2,2]', 'R.T[2,3]', 'R.T[3,1]', 'R.T[3,2]', 'R.T[3,3]', 'r[1]', 'r[2]', 'r[3]', 'r_shape[1]', 'r_shape[2]', 'r_shape[3]', 'lengthDirection[1]', 'lengthDirection[2]', 'lengthDirection[3]',
    'widthDirection[1]', 'widthDirection[2]', 'widthDirection[3]', 'length', 'width', 'height', 'extra', 'color[1]', 'color[2]', 'color[3]'];
const scriptNonce = document.currentScript.nonce;

/* The module becomes a script that leaves its exports in one object: nothing else may be imported here. */
async function loadThree() {
    if (scene.three) return scene.three;
    const text = await ask('GET', 'three', {}, 'text'), at0 = text.lastIndexOf('export{'), names = text.slice(at0 + 7, text.indexOf('}', at0));
    const script = make('script', { type: 'module', nonce: scriptNonce });
    script.textContent = text.slice(0, at0) + ';window.acausalThree={' + names.split(',').map(n => n.trim().split(/\s+as\s+/)).map(([a, b]) => (b || a) + ':' + a).join(',') + '};document.dispatchEvent(new Event("three"));';
    const ready = new Promise(done => document.addEventListener('three', done, { once: true }));
    document.head.append(script);
    await ready;
    return scene.three = window.acausalThree;
}

/* ---- shapes ---- */

/* Names that have all that a shape needs in front of them. */
function shapeNames(run) {
    return [...run.index.keys()].filter(n => n.endsWith('.lengthDirection[1]')).map(n => n.slice(0, -'.lengthDirection[1]'.length)).filter(n => PARTS.every(p => run.index.has(n + '.' + p)));
}

/* The values of what never changes are one row; of all else, all rows. */
async function loadColumns(run, names) {
    const out = new Map(), fixed = names.filter(n => run.signals[run.index.get(n)].kind === 2), moving = names.filter(n => run.signals[run.index.get(n)].kind !== 2);
    for (const [list, from] of [[fixed, run.info.rows - 1], [moving, 0]])
        for (let i = 0; i < list.length; i += 200) {
            const part = list.slice(i, i + 200), data = new Float64Array(await ask('GET', 'rows', { id: run.id, from, c: part.map(n => run.index.get(n)) }, 'bytes')), rows = data[0];
            if (from === 0 && rows) scene.times = data.subarray(1, 1 + rows);
            part.forEach((n, k) => out.set(n, data.subarray(1 + rows * (k + 1), 1 + rows * (k + 2))));
        }
    return out;
}

/* What kind a shape is stands in its class, with the modifiers around it. */
async function shapeKind(name) {
    try {
        const about = (await ask('GET', 'describe', { source: current.source, class: current.name, component: name.replace(/\[[^\]]*\]/g, '') })).described;
        const c = about.components.find(x => x.name === 'shapeType');
        return c && typeof c.value === 'string' ? c.value : 'box';
    } catch (e) {
        return 'box';
    }
}

/* Geometries of size 1 along x, from 0 to 1, with width along y and height along z; null: made for its own measures. */
function gear(T, teeth) {
    const n = Math.max(6, Math.min(120, Math.abs(Math.round(teeth)) || 20)), outline = new T.Shape();
    for (let i = 0; i < n; i++)
        for (const [share, r] of [[0, 0.44], [0.2, 0.5], [0.5, 0.5], [0.7, 0.44]]) {
            const a = 2 * Math.PI * (i + share) / n, p = [r * Math.cos(a), r * Math.sin(a)];
            i || share ? outline.lineTo(...p) : outline.moveTo(...p);
        }
    return new T.ExtrudeGeometry(outline, { depth: 1, bevelEnabled: false, curveSegments: 1 }).rotateY(Math.PI / 2).rotateX(Math.PI / 2);
}

function pipe(T, ratio) {
    const inner = Math.min(0.98, Math.max(0, Number.isFinite(ratio) ? ratio : 0.5)), outline = new T.Shape().absarc(0, 0, 0.5, 0, 2 * Math.PI, false);
    if (inner > 0) outline.holes.push(new T.Path().absarc(0, 0, 0.5 * inner, 0, 2 * Math.PI, true));
    return new T.ExtrudeGeometry(outline, { depth: 1, bevelEnabled: false, curveSegments: 24 }).rotateY(Math.PI / 2);
}

function helix(T, turns, wire) {
    class Coil extends T.Curve {
        getPoint(t, to = new T.Vector3()) { return to.set(t, 0.5 * Math.cos(2 * Math.PI * turns * t), 0.5 * Math.sin(2 * Math.PI * turns * t)); }
    }
    return new T.TubeGeometry(new Coil(), Math.min(800, Math.ceil(turns * 24)), wire, 6);
}

function geometryOf(T, kind, extra, size) {
    const along = g => g.rotateZ(-Math.PI / 2).translate(0.5, 0, 0);
    if (kind === 'sphere') return new T.SphereGeometry(0.5, 32, 20).translate(0.5, 0, 0);
    if (kind === 'cylinder') return along(new T.CylinderGeometry(0.5, 0.5, 1, 32));
    if (kind === 'cone') return along(new T.CylinderGeometry(0.5 * Math.min(1, Math.max(0, extra || 0)), 0.5, 1, 32));
    if (kind === 'pipe' || kind === 'pipecylinder') return pipe(T, extra);
    if (kind === 'gearwheel') return gear(T, extra);
    if (kind === 'spring') return helix(T, Math.max(1, extra || 5), size.width > 0 ? Math.max(0.02, Math.min(0.3, 0.5 * size.height / size.width)) : 0.05);
    return new T.BoxGeometry(1, 1, 1).translate(0.5, 0, 0);
}

/* ---- shapes from files: triangles, in metres ---- */

function facesOfDxf(text) {
    const words = text.split(/\r?\n/), out = [];
    let face = null;
    const end = () => {
        if (!face) return;
        const p = i => [face[10 + i] || 0, face[20 + i] || 0, face[30 + i] || 0];
        out.push(...p(0), ...p(1), ...p(2));
        if (13 in face && (p(3).some((v, i) => v !== p(2)[i]))) out.push(...p(0), ...p(2), ...p(3));
        face = null;
    };
    for (let i = 0; i + 1 < words.length; i += 2) {
        const code = Number(words[i]);
        if (code === 0) { end(); if (words[i + 1].trim() === '3DFACE') face = {}; } else if (face && code >= 10 && code < 40) face[code] = Number(words[i + 1]);
    }
    end();
    return out;
}

function facesOfObj(text) {
    const points = [], out = [];
    for (const line of text.split('\n')) {
        const w = line.trim().split(/\s+/);
        if (w[0] === 'v') points.push([Number(w[1]), Number(w[2]), Number(w[3])]);
        if (w[0] !== 'f') continue;
        const at0 = w.slice(1).map(x => { const n = parseInt(x, 10); return points[n < 0 ? points.length + n : n - 1]; });
        for (let i = 1; i + 1 < at0.length; i++) if (at0[0] && at0[i] && at0[i + 1]) out.push(...at0[0], ...at0[i], ...at0[i + 1]);
    }
    return out;
}

function facesOfStl(bytes) {
    const view = new DataView(bytes), n = bytes.byteLength >= 84 ? view.getUint32(80, true) : 0, out = [];
    if (bytes.byteLength === 84 + 50 * n) {
        for (let i = 0; i < n; i++) for (let k = 0; k < 9; k++) out.push(view.getFloat32(84 + 50 * i + 12 + 4 * k, true));
        return out;
    }
    for (const m of new TextDecoder().decode(bytes).matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/g)) out.push(Number(m[1]), Number(m[2]), Number(m[3]));
    return out;
}

const files = new Map();

/* Once a file; null: it cannot be had. */
async function fileGeometry(T, uri) {
    if (!files.has(uri)) {
        const bytes = await ask('GET', 'shape', { uri }, 'bytes').catch(() => null), kind = uri.split('.').pop().toLowerCase();
        const faces = !bytes ? [] : kind === 'stl' ? facesOfStl(bytes) : kind === 'obj' ? facesOfObj(new TextDecoder().decode(bytes)) : facesOfDxf(new TextDecoder().decode(bytes));
        if (!faces.length) say(uri + ': ' + t('not found'), true);
        files.set(uri, faces.length ? new Float32Array(faces) : null);
    }
    if (!files.get(uri)) return null;
    const g = new T.BufferGeometry();
    g.setAttribute('position', new T.BufferAttribute(files.get(uri), 3));
    g.computeVertexNormals();
    return g;
}

async function makeShapes(T, run, names) {
    const all = names.flatMap(n => PARTS.map(p => n + '.' + p)), columns = await loadColumns(run, all), kinds = new Map();
    const key = n => n.replace(/\[[^\]]*\]/g, '');
    await Promise.all([...new Set(names.map(key))].map(async n => kinds.set(n, await shapeKind(n))));
    const isFile = k => /^modelica:\/\/.*\.(stl|obj|dxf)$/i.test(k), ofFiles = new Map();
    for (const k of new Set(kinds.values())) if (isFile(k)) ofFiles.set(k, await fileGeometry(T, k));
    return names.map(name => {
        const c = PARTS.map(p => columns.get(name + '.' + p)), first = c.map(x => x[0]), kind = kinds.get(key(name));
        const own = ofFiles.get(kind);
        const mesh = new T.Mesh(own || geometryOf(T, kind, first[24], { width: first[22], height: first[23] }), new T.MeshStandardMaterial({ side: own ? T.DoubleSide : T.FrontSide, flatShading: !!own, color: new T.Color(first[25] / 255, first[26] / 255, first[27] / 255).convertSRGBToLinear(), roughness: 0.45, metalness: 0.15 }));
        mesh.matrixAutoUpdate = false;
        mesh.name = name;
        const moves = c.some(x => x.length > 1);
        return { name, kind, c, mesh, moves, isFile: !!own, v: new Float64Array(PARTS.length), still: false };
    });
}

/* ---- a frame ---- */

/* Values between rows i and i + 1; then the matrix: axes along length, width and their normal, times the sizes. */
function placeShape(s, i, share) {
    if (s.still) return;
    const v = s.v, c = s.c;
    for (let k = 0; k < 25; k++) {
        const x = c[k];
        v[k] = x.length === 1 ? x[0] : x[i] + (i + 1 < x.length ? share * (x[i + 1] - x[i]) : 0);
    }
    s.still = !s.moves;
    let [lx, ly, lz] = [v[15], v[16], v[17]], n = Math.hypot(lx, ly, lz) || 1;
    lx /= n, ly /= n, lz /= n;
    let [wx, wy, wz] = [v[18], v[19], v[20]];
    const dot = wx * lx + wy * ly + wz * lz;
    wx -= dot * lx, wy -= dot * ly, wz -= dot * lz;
    n = Math.hypot(wx, wy, wz);
    if (n < 1e-9) {
        [wx, wy, wz] = Math.abs(lx) < 0.9 ? [0, -lz, ly] : [-lz, 0, lx];
        n = Math.hypot(wx, wy, wz) || 1;
    }
    wx /= n, wy /= n, wz /= n;
    const hx = ly * wz - lz * wy, hy = lz * wx - lx * wz, hz = lx * wy - ly * wx;
    const tx = (a, b, d) => v[0] * a + v[3] * b + v[6] * d, ty = (a, b, d) => v[1] * a + v[4] * b + v[7] * d, tz = (a, b, d) => v[2] * a + v[5] * b + v[8] * d;
    const L = s.isFile ? 1 : v[21] || 1e-6, W = s.isFile ? 1 : v[22] || 1e-6, H = s.isFile ? 1 : s.kind === 'spring' ? W : v[23] || 1e-6, [rx, ry, rz] = [v[12], v[13], v[14]], e = s.mesh.matrix.elements;
    e[0] = tx(lx, ly, lz) * L, e[1] = ty(lx, ly, lz) * L, e[2] = tz(lx, ly, lz) * L;
    e[4] = tx(wx, wy, wz) * W, e[5] = ty(wx, wy, wz) * W, e[6] = tz(wx, wy, wz) * W;
    e[8] = tx(hx, hy, hz) * H, e[9] = ty(hx, hy, hz) * H, e[10] = tz(hx, hy, hz) * H;
    e[12] = v[9] + tx(rx, ry, rz), e[13] = v[10] + ty(rx, ry, rz), e[14] = v[11] + tz(rx, ry, rz);
    s.mesh.matrixWorldNeedsUpdate = true;
}

function setTime(now) {
    const t0 = performance.now(), x = scene.times;
    if (!x || !x.length) return;
    scene.now = Math.max(x[0], Math.min(x[x.length - 1], now));
    let a = 0, b = x.length - 1;
    while (a < b) { const m = (a + b + 1) >> 1; x[m] <= scene.now ? a = m : b = m - 1; }
    const share = a + 1 < x.length && x[a + 1] > x[a] ? (scene.now - x[a]) / (x[a + 1] - x[a]) : 0;
    for (const s of scene.shapes) placeShape(s, a, share);
    if (at('scene-follow').checked) followScene();
    at('scene-now').textContent = 't = ' + formatNumber(scene.now, 4) + ' s';
    at('scene-time').value = x.length > 1 ? 1000 * (scene.now - x[0]) / (x[x.length - 1] - x[0]) : 0;
    render();
    scene.cost = performance.now() - t0;
}

function followScene() {
    let n = 0;
    const c = [0, 0, 0];
    for (const s of scene.shapes) if (s.moves) n++, c.forEach((_, k) => { c[k] += s.mesh.matrix.elements[12 + k]; });
    if (n) scene.view.target = c.map(x => x / n);
}

/* ---- the camera: round a target, z upward or y, as gravity says ---- */

function aim() {
    const { camera, view } = scene, { target, far, turn, tilt } = view, flat = Math.cos(tilt) * far;
    const p = view.up === 'z' ? [target[0] + flat * Math.sin(turn), target[1] - flat * Math.cos(turn), target[2] + Math.sin(tilt) * far] : [target[0] + flat * Math.sin(turn), target[1] + Math.sin(tilt) * far, target[2] + flat * Math.cos(turn)];
    camera.up.set(0, view.up === 'z' ? 0 : 1, view.up === 'z' ? 1 : 0);
    camera.position.set(...p);
    camera.lookAt(...target);
    camera.near = far / 200;
    camera.far = far * 50;
    camera.updateProjectionMatrix();
}

function render() {
    if (!scene.renderer) return;
    aim();
    scene.renderer.render(scene.world, scene.camera);
    at('scene').dataset.frames = Number(at('scene').dataset.frames || 0) + 1;
}

function fitScene() {
    const T = scene.three, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const s of scene.shapes) {
        s.mesh.geometry.computeBoundingBox();
        const box = s.mesh.geometry.boundingBox.clone().applyMatrix4(s.mesh.matrix);
        ['x', 'y', 'z'].forEach((k, i) => { low[i] = Math.min(low[i], box.min[k]); high[i] = Math.max(high[i], box.max[k]); });
    }
    if (!Number.isFinite(low[0])) return;
    scene.view.target = low.map((v, i) => (v + high[i]) / 2);
    scene.view.far = 1.2 * Math.max(0.01, Math.hypot(...low.map((v, i) => high[i] - v)) / 2) / Math.tan(T.MathUtils.degToRad(20));
    render();
}

function resizeScene() {
    const host = at('scene'), w = host.clientWidth, h = host.clientHeight;
    if (!scene.renderer || !w || !h) return;
    scene.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    scene.renderer.setSize(w, h, false);
    scene.camera.aspect = w / h;
    render();
}

function startRenderer(T) {
    if (scene.renderer) return;
    scene.renderer = new T.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    scene.camera = new T.PerspectiveCamera(40, 1, 0.01, 1000);
    scene.world = new T.Scene();
    scene.view = { target: [0, 0, 0], far: 5, turn: 0.6, tilt: 0.35, up: 'y' };
    scene.world.add(new T.HemisphereLight(0xffffff, 0x667788, 1.6));
    const sun = new T.DirectionalLight(0xffffff, 2.2);
    sun.position.set(3, 8, 6);
    scene.world.add(sun);
    new ResizeObserver(resizeScene).observe(at('scene'));
}

/* Gravity of the world says what is up. */
function upward(run) {
    const g = ['world.g', 'world.n[3]'].map(n => run.index.get(n));
    const n = scene.columns && scene.columns.get('world.n[3]');
    return g[1] !== undefined && n && Math.abs(n[0]) > 0.5 ? 'z' : 'y';
}

async function showScene() {
    const host = at('scene'), run = runs.find(r => r.signals && r.info.rows > 0 && !['translating', 'running'].includes(r.info.state));
    const tell = text => { host.replaceChildren(make('div', { className: 'empty' }, text)); };
    if (!run) return tell(t('No run yet.'));
    if (scene.run === run && scene.renderer && scene.shapes.length) return resizeScene();
    const names = shapeNames(run);
    if (!names.length) return tell(t('This model has nothing to animate: visualizers of MultiBody are shown here.'));
    try {
        const T = await loadThree();
        startRenderer(T);
        for (const s of scene.shapes) scene.world.remove(s.mesh), s.mesh.geometry.dispose(), s.mesh.material.dispose();
        scene.run = run;
        scene.times = null;
        scene.columns = run.index.has('world.n[3]') ? await loadColumns(run, ['world.n[3]']) : null;
        scene.shapes = await makeShapes(T, run, names);
    } catch (e) {
        return tell(e.message);
    }
    if (scene.run !== run) return;
    host.replaceChildren(scene.renderer.domElement);
    scene.world.add(...scene.shapes.map(s => s.mesh));
    scene.view.up = upward(run);
    host.dataset.shapes = scene.shapes.length;
    setTime(scene.times ? scene.times[0] : 0);
    resizeScene();
    fitScene();
}

function playScene() {
    if (scene.playing) {
        cancelAnimationFrame(scene.playing);
        scene.playing = null;
    } else if (scene.times) {
        const x = scene.times, end = x[x.length - 1];
        let last = performance.now(), now = scene.now >= end ? x[0] : scene.now;
        const tick = clock => {
            now += Number(at('scene-speed').value) * (clock - last) / 1000;
            last = clock;
            if (now > end) now = x[0];
            setTime(now);
            scene.playing = requestAnimationFrame(tick);
        };
        scene.playing = requestAnimationFrame(tick);
    }
    at('scene-play').textContent = scene.playing ? '❚❚' : '▶';
}

/* ---- pictures: an archive without compression, since PNG is compressed ---- */

const CRC = new Uint32Array(256).map((_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n >>> 0; });

function zip(files) {
    const parts = [], central = [];
    let at0 = 0;
    const bytes = (n, ...list) => { const out = new Uint8Array(list.reduce((s, [size]) => s + size, 0)); let p = 0; for (const [size, value] of list) for (let i = 0; i < size; i++) out[p++] = Math.floor(value / 2 ** (8 * i)) & 255; return out; };
    for (const [name, data] of files) {
        const label = new TextEncoder().encode(name), crc = (data.reduce((c, b) => CRC[(c ^ b) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;
        const common = [[2, 20], [2, 0], [2, 0], [2, 0], [2, 33], [4, crc], [4, data.length], [4, data.length], [2, label.length], [2, 0]];
        parts.push(bytes(0, [4, 0x04034b50], ...common), label, data);
        central.push(bytes(0, [4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at0]), label);
        at0 += 30 + label.length + data.length;
    }
    const size = central.reduce((s, c) => s + c.length, 0);
    return new Blob([...parts, ...central, bytes(0, [4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at0], [2, 0])], { type: 'application/zip' });
}

async function takePictures() {
    if (!scene.times) return;
    const x = scene.times, span = x[x.length - 1] - x[0], count = Math.max(2, Math.min(300, Math.round(25 * span / Number(at('scene-speed').value)))), files = [];
    for (let i = 0; i < count; i++) {
        setTime(x[0] + span * i / (count - 1));
        const blob = await new Promise(done => scene.renderer.domElement.toBlob(done, 'image/png'));
        files.push([`frame-${String(i).padStart(4, '0')}.png`, new Uint8Array(await blob.arrayBuffer())]);
        say(`${i + 1} / ${count}`);
    }
    download((current.name || 'run') + '.zip', Promise.resolve(zip(files)));
}

/* ---- the pointer ---- */

(function startScene() {
    const host = at('scene'), fingers0 = new Map();
    host.addEventListener('pointerdown', e => { fingers0.set(e.pointerId, e); host.setPointerCapture(e.pointerId); });
    host.addEventListener('pointermove', e => {
        const before = fingers0.get(e.pointerId);
        if (!before || !scene.view) return;
        const dx = e.clientX - before.clientX, dy = e.clientY - before.clientY, v = scene.view;
        if (fingers0.size === 2) {
            const other = [...fingers0.entries()].find(([id]) => id !== e.pointerId)[1], far = p => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
            v.far *= far(before) / Math.max(1, far(e));
        } else if (e.shiftKey || before.button === 2) {
            const k = v.far / host.clientHeight, right = [Math.cos(v.turn), Math.sin(v.turn)];
            if (v.up === 'z') v.target = [v.target[0] - dx * k * right[0], v.target[1] - dx * k * right[1], v.target[2] + dy * k];
            else v.target = [v.target[0] - dx * k * right[0], v.target[1] + dy * k, v.target[2] + dx * k * right[1]];
        } else {
            v.turn -= dx / 200;
            v.tilt = Math.max(-1.5, Math.min(1.5, v.tilt + dy / 200));
        }
        fingers0.set(e.pointerId, e);
        render();
    });
    for (const end of ['pointerup', 'pointercancel']) host.addEventListener(end, e => fingers0.delete(e.pointerId));
    host.addEventListener('contextmenu', e => e.preventDefault());
    host.addEventListener('wheel', e => { if (!scene.view) return; e.preventDefault(); scene.view.far *= Math.exp(e.deltaY / 600); render(); }, { passive: false });
    host.addEventListener('keydown', e => {
        const v = scene.view, turns = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
        if (!v) return;
        if (turns[e.key]) v.turn += turns[e.key][0], v.tilt = Math.max(-1.5, Math.min(1.5, v.tilt + turns[e.key][1]));
        else if (e.key === '+') v.far *= 0.9;
        else if (e.key === '-') v.far *= 1.1;
        else if (e.key === ' ') playScene();
        else return;
        e.preventDefault();
        render();
    });
    at('scene-play').addEventListener('click', playScene);
    at('scene-fit').addEventListener('click', fitScene);
    at('scene-pictures').addEventListener('click', takePictures);
    at('scene-time').addEventListener('input', e => { const x = scene.times; if (x) setTime(x[0] + e.target.value / 1000 * (x[x.length - 1] - x[0])); });
})();
