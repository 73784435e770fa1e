import { expect } from 'vitest';

/** Returns the samples by name and labels. */
export async function scrape(url: string): Promise<Map<string, number>> {
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const lines = (await response.text()).split('\n').filter((line) => line && line[0] !== '#');
  return new Map(
    lines.map((line) => {
      const [, key = '', value] = /^(.+) (\S+)$/.exec(line) ?? [];
      return [key, Number(value)];
    }),
  );
}
