'use strict';
/* plot.js: interactive curves on canvases, for the report and the studio.
 *
 * A Plot shows panels one below the other over one horizontal axis. A panel has series: { label, unit, x, y, steps, colour,
 * dash } with typed arrays. Drawing costs what is visible: the rows in view are found by bisection, and of the
 * rows of a pixel only first, least, largest and last are drawn, so that no peak is lost.
 * Drag: zoom to a box. Shift and drag: move. Wheel: zoom time, with Alt: values. Double click: everything. */

const PALETTE = {
    light: ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000', '#8a6d3b'],
    dark: ['#56B4E9', '#E69F00', '#2ec4a0', '#CC79A7', '#F0E442', '#7aa7ff', '#ffffff', '#ff8a4c'],
};
const DASHES = [[], [8, 3], [2, 3]];
const SUPERSCRIPTS = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

function isDark() {
    return document.documentElement.dataset.theme === 'dark';
}

function superscript(n) {
    return String(n).split('').map(c => SUPERSCRIPTS[c]).join('');
}

/* "m/s2" as m/s², "Ohm" as Ω. */
function prettyUnit(unit) {
    const words = { degC: '°C', degF: '°F', deg: '°', Ohm: 'Ω', ohm: 'Ω' };
    return unit.replace(/[A-Za-z]+/g, w => words[w] || w).replace(/\./g, '·')
        .replace(/([A-Za-zΩ°])(-?\d+)/g, (_, a, n) => a + superscript(n));
}

/* A number as people write it: up to `digits` digits, powers of ten where it would be long. */
function formatNumber(v, digits = 6) {
    if (v === null || v === undefined || Number.isNaN(v)) return '–';
    if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞';
    const a = Math.abs(v);
    let text = a !== 0 && (a >= 1e6 || a < 1e-4) ? v.toExponential(digits - 1) : v.toPrecision(digits);
    if (text.includes('e')) {
        let [mantissa, exponent] = text.split('e');
        if (mantissa.includes('.')) mantissa = mantissa.replace(/\.?0+$/, '');
        text = mantissa + '·10' + superscript(Number(exponent));
    } else if (text.includes('.')) text = text.replace(/\.?0+$/, '');
    return text.replace('-', '−');
}

/* Ticks at 1, 2, 2.5, 5 times powers of ten, with texts of equal decimals. */
function ticksOf(low, high, most) {
    const span = high - low;
    if (!(span > 0)) return { step: 1, at: [low], text: [formatNumber(low)] };
    const raw = span / Math.max(most, 1), power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 2.5, 5, 10].find(s => s * power >= raw * (1 - 1e-9)) || 10);
    const at = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span && at.length < 40; k++) at.push(k * step);
    const largest = Math.max(Math.abs(low), Math.abs(high));
    let exponent = Math.floor(Math.log10(largest || 1));
    exponent = exponent >= 5 || exponent <= -4 ? 3 * Math.floor(exponent / 3) : 0;
    const unit = 10 ** exponent;
    let decimals = 0;
    while (decimals < 12 && Math.abs(step / unit * 10 ** decimals - Math.round(step / unit * 10 ** decimals)) > 1e-6 * step / unit * 10 ** decimals) decimals++;
    const text = at.map(v => (Math.abs(v) < 1e-9 * step ? 0 : v / unit).toFixed(decimals).replace('-', '−'));
    return { step, at, text, exponent };
}

/* The first row whose x is not below v. */
function bisect(x, v) {
    let low = 0, high = x.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (x[middle] < v) low = middle + 1;
        else high = middle;
    }
    return low;
}

function rangeOf(y, from, to) {
    let low = Infinity, high = -Infinity;
    for (let i = from; i < to; i++) {
        const v = y[i];
        if (v < low && v !== -Infinity) low = v;
        if (v > high && v !== Infinity) high = v;
    }
    return [low, high];
}

class Plot {
    constructor(host, options = {}) {
        this.host = host;
        this.options = options;
        this.panels = [];
        this.view = null;        /* [low, high] of the horizontal axis; null: everything */
        this.events = [];
        this.cursor = null;      /* in units of x */
        this.xLabel = 'time [s]';
        this.isPhase = false;
        host.classList.add('plot');
        new ResizeObserver(() => this.layout()).observe(host);
        window.addEventListener('themechange', () => this.draw());
    }

    /* Panels: [{ unit, series: [...] }]. Views stay where panels stay. */
    set(panels, { xLabel, events, isPhase, keepView } = {}) {
        const views = new Map(this.panels.map(p => [p.key, p.view]));
        if (xLabel !== undefined) this.xLabel = xLabel;
        if (events !== undefined) this.events = events;
        if (!!isPhase !== this.isPhase || keepView === false) this.view = null;
        this.isPhase = !!isPhase;
        const same = this.panels.length === panels.length &&
            panels.every((p, i) => this.panels[i].series.map(s => s.label).join('\n') === p.series.map(s => s.label).join('\n'));
        panels.forEach(p => { p.key = p.key || p.unit; p.view = views.get(p.key) || null; });
        if (same) panels.forEach((p, i) => { p.dom = this.panels[i].dom; });
        this.panels = panels;
        if (!same) this.build();
        this.layout();
    }

    colourOf(series, index) {
        const palette = PALETTE[isDark() ? 'dark' : 'light'];
        return palette[(series.colour ?? index) % palette.length];
    }

    build() {
        this.host.textContent = '';
        for (const panel of this.panels) {
            const box = document.createElement('div'), legend = document.createElement('div');
            const canvas = document.createElement('canvas'), overlay = document.createElement('canvas');
            const area = document.createElement('div');
            box.className = 'plot-panel';
            legend.className = 'plot-legend';
            area.className = 'plot-area';
            canvas.setAttribute('role', 'img');
            canvas.setAttribute('aria-label', 'curves of ' + panel.series.map(s => s.label).join(', '));
            area.append(canvas, overlay);
            box.append(legend, area);
            this.host.append(box);
            panel.dom = { box, legend, canvas, overlay, area, values: [] };
            panel.series.forEach((s, i) => {
                const item = document.createElement('span'), mark = document.createElement('i'), name = document.createElement('b'), value = document.createElement('em');
                item.className = 'plot-name';
                name.textContent = s.label;
                if (s.description) item.title = s.description;
                item.append(mark, name, value);
                if (this.options.onRemove) {
                    const close = document.createElement('button');
                    close.textContent = '×';
                    close.title = 'take this curve away';
                    close.addEventListener('click', () => this.options.onRemove(s));
                    item.append(close);
                }
                legend.append(item);
                panel.dom.values[i] = { mark, value };
            });
            const unit = document.createElement('span');
            unit.className = 'plot-unit';
            unit.textContent = panel.unit ? '[' + prettyUnit(panel.unit) + ']' : '';
            legend.append(unit);
            this.listen(panel);
        }
    }

    layout() {
        const ratio = window.devicePixelRatio || 1;
        for (const panel of this.panels) {
            const { area, canvas, overlay } = panel.dom;
            const w = area.clientWidth, h = area.clientHeight;
            for (const c of [canvas, overlay]) {
                if (c.width !== Math.round(w * ratio) || c.height !== Math.round(h * ratio)) {
                    c.width = Math.round(w * ratio);
                    c.height = Math.round(h * ratio);
                    c.style.width = w + 'px';
                    c.style.height = h + 'px';
                }
            }
            panel.size = { w, h, ratio };
        }
        this.draw();
    }

    /* The horizontal range in view, and that of all data. */
    xRange() {
        let low = Infinity, high = -Infinity;
        for (const panel of this.panels)
            for (const s of panel.series) {
                if (!s.x.length) continue;
                const [a, b] = this.isPhase ? rangeOf(s.x, 0, s.x.length) : [s.x[0], s.x[s.x.length - 1]];
                low = Math.min(low, a);
                high = Math.max(high, b);
            }
        if (this.options.xEnd !== undefined && !this.isPhase) high = Math.max(high, this.options.xEnd);
        if (!(low <= high)) [low, high] = [0, 1];
        if (low === high) [low, high] = [low - 0.5, high + 0.5];
        const pad = this.isPhase ? 0.03 * (high - low) : 0;
        this.full = [low - pad, high + pad];
        return this.view || this.full;
    }

    yRange(panel, [x0, x1]) {
        if (panel.view) return panel.view;
        let low = Infinity, high = -Infinity;
        for (const s of panel.series) {
            const from = this.isPhase ? 0 : Math.max(0, bisect(s.x, x0) - 1), to = this.isPhase ? s.y.length : Math.min(s.y.length, bisect(s.x, x1) + 2);
            const [a, b] = rangeOf(s.y, from, to);
            low = Math.min(low, a);
            high = Math.max(high, b);
        }
        if (!(low <= high)) [low, high] = [0, 1];
        const size = Math.max(Math.abs(low), Math.abs(high));
        const pad = high - low <= 1e-12 * size ? (size > 0 ? 0.1 * size : 1) : 0.06 * (high - low);
        return [low - pad, high + pad];
    }

    draw() {
        if (!this.panels.length || this.pending) return;
        this.pending = true;
        requestAnimationFrame(() => {
            this.pending = false;
            this.paint();
        });
    }

    paint() {
        const view = this.xRange(), style = getComputedStyle(document.documentElement);
        const theme = { ink: style.getPropertyValue('--ink'), soft: style.getPropertyValue('--soft'), grid: style.getPropertyValue('--grid'), frame: style.getPropertyValue('--frame') };
        let left = 30;
        for (const panel of this.panels) {
            if (!panel.dom || !panel.size) continue;
            const c = panel.dom.canvas.getContext('2d');
            c.font = '12px system-ui, sans-serif';
            panel.range = this.yRange(panel, view);
            panel.ticks = ticksOf(panel.range[0], panel.range[1], Math.max(2, panel.size.h / 42));
            for (const t of panel.ticks.text) left = Math.max(left, c.measureText(t).width + 16);
        }
        this.panels.forEach((panel, i) => panel.size && this.paintPanel(panel, view, left, i === this.panels.length - 1, theme));
        this.paintCursor();
        if (this.options.onDraw) this.options.onDraw();
    }

    paintPanel(panel, view, left, last, theme) {
        const { w, h, ratio } = panel.size, c = panel.dom.canvas.getContext('2d');
        const f = { left, right: w - 16, top: panel.ticks.exponent ? 18 : 6, bottom: h - (last ? 38 : 8) };
        panel.frame = f;
        c.setTransform(ratio, 0, 0, ratio, 0, 0);
        c.clearRect(0, 0, w, h);
        if (f.right - f.left < 20 || f.bottom - f.top < 20) return;
        const px = v => f.left + (v - view[0]) / (view[1] - view[0]) * (f.right - f.left);
        const py = v => f.bottom - (v - panel.range[0]) / (panel.range[1] - panel.range[0]) * (f.bottom - f.top);
        this.paintAxes(c, panel, view, f, px, py, last, theme);
        c.save();
        c.beginPath();
        c.rect(f.left, f.top - 1, f.right - f.left, f.bottom - f.top + 2);
        c.clip();
        this.paintEvents(c, view, f, px, theme);
        panel.series.forEach((s, i) => {
            const colour = this.colourOf(s, i);
            panel.dom.values[i].mark.style.borderTop = (s.dash ? '3px dashed ' : '3px solid ') + colour;
            c.strokeStyle = colour;
            c.lineWidth = 1.6;
            c.lineJoin = 'round';
            c.setLineDash(s.dash ? [6, 4] : DASHES[Math.floor((s.colour ?? i) / 8) % 3]);
            this.paintSeries(c, s, view, f, px, py);
        });
        c.restore();
        c.strokeStyle = theme.frame;
        c.setLineDash([]);
        c.lineWidth = 1;
        c.strokeRect(f.left + 0.5, f.top + 0.5, f.right - f.left - 1, f.bottom - f.top - 1);
    }

    paintAxes(c, panel, view, f, px, py, last, theme) {
        const x = ticksOf(view[0], view[1], Math.max(2, (f.right - f.left) / 90));
        c.font = '12px system-ui, sans-serif';
        c.fillStyle = theme.soft;
        c.strokeStyle = theme.grid;
        c.lineWidth = 1;
        c.setLineDash([]);
        c.beginPath();
        for (const v of x.at) c.moveTo(Math.round(px(v)) + 0.5, f.top), c.lineTo(Math.round(px(v)) + 0.5, f.bottom);
        for (const v of panel.ticks.at) c.moveTo(f.left, Math.round(py(v)) + 0.5), c.lineTo(f.right, Math.round(py(v)) + 0.5);
        c.stroke();
        c.textAlign = 'right';
        c.textBaseline = 'middle';
        panel.ticks.at.forEach((v, i) => c.fillText(panel.ticks.text[i], f.left - 7, py(v)));
        if (panel.ticks.exponent) c.textAlign = 'left', c.fillText('×10' + superscript(panel.ticks.exponent), f.left, 8);
        if (!last) return;
        c.textAlign = 'center';
        c.textBaseline = 'top';
        const end = f.right + 15;
        x.at.forEach((v, i) => c.fillText(x.text[i], Math.min(px(v), end - c.measureText(x.text[i]).width / 2), f.bottom + 6));
        c.fillStyle = theme.ink;
        c.fillText(this.xLabel + (x.exponent ? ' × 10' + superscript(x.exponent) : ''), (f.left + f.right) / 2, f.bottom + 21);
    }

    paintEvents(c, view, f, px, theme) {
        const shown = this.events.filter(t => t >= view[0] && t <= view[1]);
        let before = -9;
        if (this.isPhase) return;
        c.strokeStyle = theme.soft;
        c.lineWidth = 0.7;
        c.setLineDash(shown.length > 60 ? [] : [2, 3]);
        c.beginPath();
        for (const t of shown) {
            const x = Math.round(px(t)) + 0.5;
            if (x - before < 2) continue;
            before = x;
            c.moveTo(x, f.top);
            c.lineTo(x, shown.length > 60 ? f.top + 6 : f.bottom);
        }
        c.stroke();
    }

    paintSeries(c, s, view, f, px, py) {
        const n = Math.min(s.x.length, s.y.length);
        let from = 0, to = n;
        if (!this.isPhase) from = Math.max(0, bisect(s.x, view[0]) - 1), to = Math.min(n, bisect(s.x, view[1]) + 2);
        let column = NaN, first = 0, low = 0, high = 0, end = 0, at = 0, pen = false, held = NaN;
        const put = (x, y) => {
            if (pen) c.lineTo(x, y);
            else c.moveTo(x, y), pen = true;
        };
        const flush = () => {
            if (Number.isNaN(column)) return;
            put(at, first);
            if (low < Math.min(first, end)) put(at, low);
            if (high > Math.max(first, end)) put(at, high);
            if (end !== first) put(at, end);
            column = NaN;
        };
        const add = (x, y) => {
            const here = Math.floor(2 * x);
            if (here === column && !this.isPhase) {
                if (y < low) low = y;
                if (y > high) high = y;
                end = y;
                return;
            }
            flush();
            column = here;
            at = x;
            first = low = high = end = y;
        };
        c.beginPath();
        for (let i = from; i < to; i++) {
            const y = py(s.y[i]), x = px(s.x[i]);
            if (!Number.isFinite(y) || !Number.isFinite(x)) {
                flush();
                pen = false;
                held = NaN;
                continue;
            }
            const yy = Math.max(-1e5, Math.min(1e5, y));
            if (s.steps && !Number.isNaN(held)) add(x, held);
            add(x, yy);
            held = yy;
        }
        flush();
        c.stroke();
    }

    /* ---- the pointer ---- */

    /* The row that holds at x: the last one that is not after it. */
    valueAt(s, x) {
        if (!s.x.length) return NaN;
        let i = bisect(s.x, x);
        if (i >= s.x.length) return s.y[s.y.length - 1];
        if (s.x[i] === x) {
            while (i + 1 < s.x.length && s.x[i + 1] === x) i++;
            return s.y[i];
        }
        if (i === 0) return s.y[0];
        if (s.steps) return s.y[i - 1];
        const share = (x - s.x[i - 1]) / (s.x[i] - s.x[i - 1]);
        return s.y[i - 1] + share * (s.y[i] - s.y[i - 1]);
    }

    paintCursor() {
        for (const panel of this.panels) {
            if (!panel.frame || !panel.dom) continue;
            const { w, h, ratio } = panel.size, f = panel.frame, c = panel.dom.overlay.getContext('2d'), view = this.view || this.full;
            c.setTransform(ratio, 0, 0, ratio, 0, 0);
            c.clearRect(0, 0, w, h);
            if (this.box && this.box.panel === panel) this.paintBox(c, f);
            const at = this.cursor === null ? null : f.left + (this.cursor - view[0]) / (view[1] - view[0]) * (f.right - f.left);
            const inside = at !== null && at >= f.left - 0.5 && at <= f.right + 0.5 && !this.isPhase;
            panel.series.forEach((s, i) => {
                panel.dom.values[i].value.textContent = inside ? formatNumber(this.valueAt(s, this.cursor)) : '';
            });
            if (!inside) continue;
            c.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--soft');
            c.lineWidth = 1;
            c.beginPath();
            c.moveTo(Math.round(at) + 0.5, f.top);
            c.lineTo(Math.round(at) + 0.5, f.bottom);
            c.stroke();
            panel.series.forEach((s, i) => {
                const v = this.valueAt(s, this.cursor), y = f.bottom - (v - panel.range[0]) / (panel.range[1] - panel.range[0]) * (f.bottom - f.top);
                if (!(y >= f.top && y <= f.bottom)) return;
                c.fillStyle = this.colourOf(s, i);
                c.beginPath();
                c.arc(at, y, 3.2, 0, 7);
                c.fill();
            });
        }
        if (this.options.onCursor) this.options.onCursor(this.isPhase ? null : this.cursor);
    }

    paintBox(c, f) {
        const { x0, y0, x1, y1 } = this.boxRect(f);
        c.fillStyle = 'rgba(0, 114, 178, 0.15)';
        c.strokeStyle = '#0072B2';
        c.fillRect(x0, y0, x1 - x0, y1 - y0);
        c.strokeRect(x0 + 0.5, y0 + 0.5, x1 - x0, y1 - y0);
    }

    /* A flat box is one of time only, a narrow one of values only. */
    boxRect(f) {
        const b = this.box, clampX = v => Math.max(f.left, Math.min(f.right, v)), clampY = v => Math.max(f.top, Math.min(f.bottom, v));
        let x0 = clampX(Math.min(b.x0, b.x1)), x1 = clampX(Math.max(b.x0, b.x1)), y0 = clampY(Math.min(b.y0, b.y1)), y1 = clampY(Math.max(b.y0, b.y1));
        const wide = x1 - x0 >= 12, tall = y1 - y0 >= 12;
        if (!tall) [y0, y1] = [f.top, f.bottom];
        else if (!wide) [x0, x1] = [f.left, f.right];
        return { x0, x1, y0, y1, wide, tall };
    }

    xAt(panel, px) {
        const f = panel.frame, view = this.view || this.full;
        return view[0] + (px - f.left) / (f.right - f.left) * (view[1] - view[0]);
    }

    yAt(panel, py) {
        const f = panel.frame;
        return panel.range[0] + (f.bottom - py) / (f.bottom - f.top) * (panel.range[1] - panel.range[0]);
    }

    listen(panel) {
        const area = panel.dom.area;
        const place = e => { const r = area.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
        const current = () => this.panels.find(p => p.dom.area === area);
        let drag = null;
        area.addEventListener('pointerdown', e => {
            const p = current(), [x, y] = place(e);
            if (!p || !p.frame || (e.button !== 0 && e.button !== 1)) return;
            area.setPointerCapture(e.pointerId);
            drag = { x, y, move: e.shiftKey || e.button === 1, view: [...(this.view || this.full)], range: [...p.range] };
            if (!drag.move) this.box = { panel: p, x0: x, y0: y, x1: x, y1: y };
            e.preventDefault();
        });
        area.addEventListener('pointermove', e => {
            const p = current(), [x, y] = place(e);
            if (!p || !p.frame) return;
            if (drag && drag.move) {
                const f = p.frame, dx = (drag.x - x) / (f.right - f.left) * (drag.view[1] - drag.view[0]), dy = (y - drag.y) / (f.bottom - f.top) * (drag.range[1] - drag.range[0]);
                this.view = [drag.view[0] + dx, drag.view[1] + dx];
                if (p.view || Math.abs(y - drag.y) > 8) p.view = [drag.range[0] + dy, drag.range[1] + dy];
                this.draw();
            } else if (this.box) {
                this.box.x1 = x;
                this.box.y1 = y;
            }
            this.cursor = x >= p.frame.left && x <= p.frame.right ? this.xAt(p, x) : null;
            this.paintCursor();
        });
        const end = e => {
            const p = current();
            if (drag && this.box && p && e.type === 'pointerup') this.zoomTo(p);
            drag = null;
            this.box = null;
            this.paintCursor();
        };
        area.addEventListener('pointerup', end);
        area.addEventListener('pointercancel', end);
        area.addEventListener('pointerleave', () => {
            if (drag) return;
            this.cursor = null;
            this.paintCursor();
        });
        area.addEventListener('dblclick', () => this.reset());
        area.addEventListener('wheel', e => {
            const p = current(), [x, y] = place(e);
            if (!p || !p.frame || e.ctrlKey) return;
            e.preventDefault();
            const factor = Math.exp(Math.max(-1, Math.min(1, e.deltaY * 0.002)));
            if (e.altKey) p.view = this.zoomed(p.range, this.yAt(p, y), factor);
            else this.view = this.zoomed(this.view || this.full, this.xAt(p, x), factor);
            this.draw();
        }, { passive: false });
    }

    zoomed([low, high], about, factor) {
        const size = Math.max(Math.abs(low), Math.abs(high));
        if ((high - low) * factor < 1e-13 * size) return [low, high];
        return [about + (low - about) * factor, about + (high - about) * factor];
    }

    zoomTo(panel) {
        const { x0, x1, y0, y1, wide, tall } = this.boxRect(panel.frame);
        if (!wide && !tall) return;
        const view = [this.xAt(panel, x0), this.xAt(panel, x1)], range = [this.yAt(panel, y1), this.yAt(panel, y0)];
        if (wide) this.view = view;
        if (tall) panel.view = range;
        this.draw();
    }

    reset() {
        this.view = null;
        for (const p of this.panels) p.view = null;
        this.draw();
    }
}

/* Signals with the same unit share a panel; very many of one unit do not make more than `most` panels. */
function panelsByUnit(series) {
    const panels = [];
    for (const s of series) {
        let panel = panels.find(p => p.unit === s.unit);
        if (!panel) panels.push(panel = { unit: s.unit, key: s.unit || '-', series: [] });
        panel.series.push(s);
    }
    return panels;
}

/* ---- things that both pages need ---- */

function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem('acausal-theme', theme); } catch (e) { /* a file opened without storage */ }
    window.dispatchEvent(new Event('themechange'));
}

function startTheme(button) {
    let theme = null;
    try { theme = localStorage.getItem('acausal-theme'); } catch (e) { /* likewise */ }
    setTheme(theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
    button.addEventListener('click', () => setTheme(isDark() ? 'light' : 'dark'));
}

/* An element: make('td', { className: 'x' }, 'text', child...). */
function make(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes))
        if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
        else if (key === 'data') Object.assign(e.dataset, value);
        else if (key in e) e[key] = value;
        else e.setAttribute(key, value);
    e.append(...children.filter(c => c !== null && c !== undefined));
    return e;
}

/* A list of thousands of rows of equal height, of which only those in view exist. */
class LongList {
    constructor(host, rowHeight, render) {
        Object.assign(this, { host, rowHeight, render, items: [] });
        this.space = make('div', { className: 'long-space' });
        host.classList.add('long-list');
        host.append(this.space);
        host.addEventListener('scroll', () => this.draw());
        new ResizeObserver(() => this.draw()).observe(host);
    }

    set(items, keepPlace) {
        this.items = items;
        this.space.style.height = items.length * this.rowHeight + 'px';
        if (!keepPlace) this.host.scrollTop = 0;
        this.draw();
    }

    draw() {
        const first = Math.max(0, Math.floor(this.host.scrollTop / this.rowHeight) - 5);
        const last = Math.min(this.items.length, first + Math.ceil(this.host.clientHeight / this.rowHeight) + 10);
        const rows = [];
        for (let i = first; i < last; i++) {
            const row = this.render(this.items[i]);
            row.style.top = i * this.rowHeight + 'px';
            row.style.height = this.rowHeight + 'px';
            rows.push(row);
        }
        this.space.replaceChildren(...rows);
    }
}

/* Names that hold all words of a query; with * and ? it is a pattern for the whole name. */
function searcher(query) {
    const text = query.trim().toLowerCase();
    if (!text) return () => true;
    if (/[*?]/.test(text)) {
        const pattern = new RegExp('^' + text.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.') + '$');
        return s => pattern.test(s.name.toLowerCase());
    }
    const words = text.split(/\s+/);
    return s => words.every(w => s.name.toLowerCase().includes(w) || (s.description || '').toLowerCase().includes(w));
}
