// The widgets' display. Python has the puzzles and the searches; `model` carries data to and fro.

function element(name, properties = {}, ...children) {
  const out = Object.assign(document.createElement(name), properties);
  out.append(...children);
  return out;
}

function button(text, onClick) {
  const out = element('button', { type: 'button', textContent: text });
  out.addEventListener('click', onClick);
  return out;
}

const status = () => {
  const out = element('span', { className: 'said' });
  out.setAttribute('role', 'status');
  return out;
};

/** A board of tiles; with `onTile` those next to a blank are buttons. */
function board(rows, onTile) {
  const blank = (y, x) => rows[y]?.[x] === 0;
  const out = element('div', { className: 'board' });
  out.setAttribute('role', 'img');
  out.setAttribute('aria-label', rows.map((row) => row.map((tile) => tile || 'blank').join(' ')).join(', '));
  out.style.gridTemplateColumns = `repeat(${rows[0]?.length ?? 0}, 1fr)`;
  out.style.setProperty('--cell', rows[0]?.length > 6 ? '32px' : '52px');
  rows.forEach((row, y) => row.forEach((tile, x) => {
    const near = blank(y - 1, x) || blank(y + 1, x) || blank(y, x - 1) || blank(y, x + 1);
    if (tile && near && onTile) {
      const cell = button(tile, () => onTile(y, x));
      cell.className = 'tile movable';
      cell.setAttribute('aria-label', `move ${tile}`);
      out.setAttribute('role', 'group');
      out.append(cell);
    } else {
      out.append(element('div', { className: tile ? 'tile' : 'blank', textContent: tile || '' }));
    }
  }));
  return out;
}

/** A board to play with. */
function play(model, el) {
  const place = element('div', { tabIndex: 0, className: 'place' });
  const said = status();
  const move = (y, x) => model.send({ ask: 'tile', y, x });
  const draw = () => {
    const focused = place.contains(document.activeElement);
    place.replaceChildren(board(model.get('rows'), move));
    said.textContent = model.get('message');
    if (focused) place.focus({ preventScroll: true });
  };
  // An arrow moves a tile in its direction, into the blank.
  const steps = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1] };
  place.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const rows = model.get('rows');
    for (const [y, row] of rows.entries()) {
      const x = row.indexOf(0);
      if (x >= 0 && rows[y + step[0]]?.[x + step[1]]) return move(y + step[0], x + step[1]);
    }
  });
  const ask = (text, what) => button(text, () => model.send({ ask: what }));
  el.append(place, element('div', { className: 'bar' }, ask('Hint', 'hint'), ask('Undo', 'undo'), ask('Start again', 'reset'), said));
  model.on('change:rows', draw);
  model.on('change:message', draw);
  draw();
  return () => {
    model.off('change:rows', draw);
    model.off('change:message', draw);
  };
}

/** A search to step through. */
function steps(model, el) {
  const all = model.get('steps');
  const slider = element('input', { type: 'range', min: 0, max: Math.max(0, all.length - 1), value: 0 });
  slider.setAttribute('aria-label', 'step');
  const place = element('div', { className: 'place' });
  const said = status();
  let timer;
  const draw = () => {
    const step = all[slider.value];
    if (!step) {
      said.textContent = 'The search has no steps.';
      return;
    }
    place.replaceChildren(board(step.rows));
    said.textContent = `${+slider.value + 1} of ${all.length}: ${step.event}, g = ${step.g}, h = ${step.h}, f = ${step.g + step.h}`;
  };
  const go = (by) => {
    slider.value = +slider.value + by;
    draw();
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    run.textContent = 'Play';
  };
  const run = button('Play', () => {
    if (timer) return stop();
    if (+slider.value === all.length - 1) slider.value = 0;
    run.textContent = 'Pause';
    timer = setInterval(() => {
      go(1);
      if (+slider.value >= all.length - 1) stop();
    }, 400);
  });
  slider.addEventListener('input', draw);
  const bar = element('div', { className: 'bar' }, button('Back', () => go(-1)), run, button('Next', () => go(1)), slider);
  el.append(place, bar, said);
  draw();
  return () => clearInterval(timer);
}

/** Searches side by side, all at the same number of nodes per second. */
function race(model, el) {
  const results = model.get('results');
  const most = Math.max(1, ...results.map((result) => result.expanded));
  const number = (count) => count.toLocaleString('en-GB');
  const lanes = results.map((result) => {
    const fill = element('div', { className: 'fill' });
    const count = element('span', { className: 'count' });
    const answer = element('span', { className: 'answer' });
    const track = element('div', { className: 'track' }, fill);
    const lane = element('div', { className: 'lane' }, element('span', { className: 'name', textContent: result.method }), track, count, answer);
    return { result, lane, fill, count, answer };
  });
  const said = status();
  const show = (nodes) => {
    for (const { result, fill, count, answer } of lanes) {
      const done = Math.min(nodes, result.expanded);
      fill.style.width = `${(100 * done) / most}%`;
      count.textContent = `${number(Math.round(done))} nodes`;
      answer.textContent = nodes >= result.expanded ? result.answer : '';
    }
  };
  let frame;
  const finish = () => {
    show(most);
    const solved = results.filter((result) => result.solved);
    const first = solved.reduce((best, each) => (best && best.expanded <= each.expanded ? best : each), undefined);
    said.textContent = first ? `${first.method} expanded the fewest nodes: ${number(first.expanded)}.` : 'None found a solution.';
  };
  const start = () => {
    cancelAnimationFrame(frame);
    said.textContent = '';
    const began = performance.now();
    // A fifth of the time for the first tenth of the nodes, so that quick searches are seen too.
    const step = (now) => {
      const share = (now - began) / 3000;
      if (share >= 1) return finish();
      show(most * share ** 1.5);
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  };
  el.append(element('div', { className: 'lanes' }, ...lanes.map(({ lane }) => lane)));
  el.append(element('div', { className: 'bar' }, button('Start the race', start), said));
  show(0);
  return () => cancelAnimationFrame(frame);
}

function render({ model, el }) {
  el.classList.add('taquin');
  el.replaceChildren();
  return { play, steps, race }[model.get('kind')](model, el);
}

export default { render };
