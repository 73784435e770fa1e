/**
 * `npm run coverage:machines`: walks the machines with every driver and draws what was walked. Writes one page that needs nothing
 * else, `tests/out/machines.html`: a column for each state, and an arrow for each transition, coloured by how often it was taken.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { auth, projects } from '../../model/moves.ts';
import { nameOf, statesOf, transitionName } from '../../model/inspection.ts';
import { transitionsOf } from '../../model/paths.ts';

/** How often each driver walked what, as `coverage.ts` counted it. */
export type Walked = { driver: string; walked: Record<string, number>; missing: string[] };

const root = fileURLToPath(new URL('../../', import.meta.url));
const [column, row, left] = [190, 34, 30];

if (import.meta.main) {
  const counts = mkdtempSync(join(tmpdir(), 'walked-'));
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'tests/model'],
    { cwd: root, stdio: 'inherit', env: { ...process.env, MACHINES_WALKED: counts } },
  );
  const walked = globSync('*.json', { cwd: counts })
    .toSorted()
    .map((file): Walked => JSON.parse(readFileSync(join(counts, file), 'utf8')));
  rmSync(counts, { recursive: true });
  mkdirSync(join(root, 'tests/out'), { recursive: true });
  writeFileSync(join(root, 'tests/out/machines.html'), pageOf(walked));
  console.log('tests/out/machines.html');
  process.exitCode = status ?? 1;
}

export function pageOf(walked: Walked[]): string {
  const times = (name: string) => walked.reduce((sum, each) => sum + (each.walked[name] ?? 0), 0);
  const machines: AnyStateMachine[] = [auth.machine, projects.machine];
  const shading = shades(machines.flatMap(transitionsOf).map(({ name }) => times(name)));
  const regions = machines.flatMap((machine) =>
    machine.root.type === 'parallel' ? childrenOf(machine.root) : [machine.root],
  );
  const byDriver = (name: string) =>
    walked.map(({ driver, walked: counts }) => `${driver} ${counts[name] ?? 0}`).join(' · ');
  const names = walked.flatMap((each) => [...Object.keys(each.walked), ...each.missing]);
  const unchanged = [...new Set(names)].filter((name) => name.endsWith(' changes nothing'));
  const late = machines.flatMap(statesOf).map((state) =>
    unchanged
      .filter((name) => name.startsWith(`${nameOf(state)}: `))
      .map(
        (name) =>
          `<li style="color:${shading(times(name))}">${escaped(name)} <small>${escaped(byDriver(name))}</small></li>`,
      )
      .join(''),
  );

  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>What was walked of the machines</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; color: #1d2430; background: #fff; }
  svg { display: block; margin: 0 0 2rem; max-width: none; }
  text { font: 12px system-ui, sans-serif; }
  .state { font-weight: 600; }
  small { color: #667; }
  li { margin: 0; }
</style>
<h1>What was walked of the machines</h1>
<p>An arrow for each transition, from the state above its tail to the state above its head. Grey and dashed: never taken. From
amber, for what was taken least, to green, for what was taken most. ${escaped(walked.map(({ driver }) => driver).join(', '))}.</p>
${walked.map(({ driver, missing }) => (missing.length ? `<p>Missing in ${escaped(driver)}: ${escaped(missing.join('; '))}</p>` : '')).join('')}
${regions.map((region) => `<h2>${escaped(nameOf(region).replace(' · any', ''))}</h2>${drawn(region, times, byDriver, shading)}`).join('\n')}
<h2>What changed nothing</h2>
<ul>${late.join('')}</ul>
</html>
`;
}

function drawn(
  region: AnyStateNode,
  times: (name: string) => number,
  byDriver: (name: string) => string,
  shading: (times: number) => string,
): string {
  const states = childrenOf(region);
  const columns = [region, ...states];
  const rows = columns.flatMap((state) => [...state.transitions.values()].flat());
  const used = rows.some(({ source }) => source === region) ? columns : states;
  const x = (state: AnyStateNode) => left + used.indexOf(state) * column + column / 2;
  const height = 50 + rows.length * row;
  const lines = used.map((state) => {
    const label = state === region ? 'in any state' : state.key;
    const how = state === region ? undefined : times(nameOf(state));
    return `<rect x="${x(state) - 75}" y="4" width="150" height="26" rx="8" fill="${how === undefined ? '#fff' : how === 0 ? '#fdd' : '#e8eefc'}" stroke="#8893a7" ${how === undefined ? 'stroke-dasharray="4 3"' : ''}/>
<text class="state" x="${x(state)}" y="21" text-anchor="middle">${escaped(label)}</text>
<line x1="${x(state)}" y1="30" x2="${x(state)}" y2="${height}" stroke="#dde2ea"/>`;
  });
  const arrows = rows.map((transition, index) => {
    const name = transitionName(transition);
    const y = 62 + index * row;
    const [from, to] = [x(transition.source), x(transition.target?.[0] ?? transition.source)];
    const count = times(name);
    const ink = shading(count);
    const dash = count === 0 ? 'stroke-dasharray="5 4"' : '';
    const path =
      from === to
        ? `M ${from} ${y - 8} C ${from + 46} ${y - 8} ${from + 46} ${y + 8} ${from + 5} ${y + 8}`
        : `M ${from} ${y} L ${to + (to > from ? -5 : 5)} ${y}`;
    const head =
      from === to
        ? `${to},${y + 8} ${to + 8},${y + 4} ${to + 8},${y + 12}`
        : to > from
          ? `${to},${y} ${to - 9},${y - 4} ${to - 9},${y + 4}`
          : `${to},${y} ${to + 9},${y - 4} ${to + 9},${y + 4}`;
    const label = `${labelOf(transition)} × ${count}`;
    const start = from === to ? from + 52 : Math.min(from, to) + 12;
    return `<g><title>${escaped(`${name}\n${byDriver(name)}`)}</title>
<path d="${path}" fill="none" stroke="${ink}" stroke-width="2.5" ${dash}/><polygon points="${head}" fill="${ink}"/>
<text x="${start}" y="${from === to ? y + 4 : y - 6}" fill="${ink}">${escaped(label)}</text></g>`;
  });
  const width = left * 2 + used.length * column + 220;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${lines.join('')}${arrows.join('')}</svg>`;
}

function labelOf({ eventType, guard }: AnyTransitionDefinition): string {
  const said = eventType
    .replace(/^xstate\.done\.actor\./, 'done: ')
    .replace(/^xstate\.error\.actor\./, 'thrown: ')
    .replace(/^xstate\.after\.(\w+)\..*$/, 'after $1');
  return guard ? `${said}, succeeded` : said;
}

/** From amber, for what was walked least, to green, by the order of magnitude; grey for what was not walked at all. */
function shades(counts: number[]): (times: number) => string {
  const walked = counts.filter((count) => count > 0).map(Math.log);
  const [least, most] = [Math.min(...walked), Math.max(...walked)];
  return (times) => {
    if (times === 0) return '#8a8f98';
    const share = Math.min(1, Math.max(0, (Math.log(times) - least) / (most - least || 1)));
    return `hsl(${Math.round(35 + share * 120)} 80% ${Math.round(38 - share * 12)}%)`;
  };
}

function childrenOf(node: AnyStateNode): AnyStateNode[] {
  return Object.values(node.states);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
