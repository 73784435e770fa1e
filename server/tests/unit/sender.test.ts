import { describe, expect, test } from 'vitest';
import { describeSender, senderOf } from '../../http/sender.ts';

type Headers = Record<string, string>;

/** As Node reads bytes of a header. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('a request of a page', () => {
  test.each<[sender: string, origin: string, headers: Headers]>([
    ['sameOrigin', 'http://tracker.lan', { host: 'tracker.lan' }],
    ['sameOrigin', 'http://tracker.lan', { host: 'tracker.lan:80' }],
    ['sameOrigin', 'https://tracker.lan', { host: 'tracker.lan:443' }],
    ['sameOrigin', 'http://tracker.lan', { host: 'TRACKER.Lan' }],
    ['sameOrigin', 'http://tracker.lan', { host: 'tracker.lan.' }],
    ['sameOrigin', 'http://tracker.lan.:8080', { host: 'tracker.lan:8080' }],
    ['sameOrigin', 'http://[::1]', { host: '[0:0:0:0:0:0:0:1]:80' }],
    ['sameOrigin', 'http://[2001:db8::a]:81', { host: '[2001:DB8:0::A]:81' }],
    ['sameOrigin', 'http://xn--mnchen-3ya.example', { host: utf8('München.example') }],
    ['sameOrigin', 'http://xn--mnchen-3ya.example', { host: 'XN--MNCHEN-3YA.example:80' }],
    ['sameOrigin', 'http://a.lan', { 'x-forwarded-host': 'a.lan' }],
    ['sameOrigin', 'http://a.lan', { 'x-forwarded-host': 'a.lan, proxy.lan' }],
    ['sameOrigin', 'http://a.lan', { 'x-forwarded-host': 'proxy.lan,A.LAN:80' }],
    ['sameOrigin', 'http://a.lan', { 'x-forwarded-host': '', host: 'a.lan' }],
    ['sameOrigin', 'http://a.lan:8080', { host: 'a.lan', 'x-forwarded-port': '8080' }],
    [
      'sameOrigin',
      'http://a.lan:81',
      { 'x-forwarded-host': 'a.lan', 'x-forwarded-port': '81, 80' },
    ],
    ['sameOrigin', 'https://a.lan', { host: 'a.lan:3000', 'x-forwarded-port': '443' }],
    ['sameOrigin', 'https://a.lan', { 'x-original-host': 'a.lan' }],
    ['sameOrigin', 'https://a.lan:81', { forwarded: 'for=192.0.2.1;Host="a.lan:81";proto=https' }],
    ['sameOrigin', 'https://a.lan', { forwarded: 'for="[2001:db8::1]", for=x; host=a.lan' }],
    ['otherOrigin', 'http://tracker.lan', { host: 'tracker.lan:8080' }],
    ['otherOrigin', 'http://tracker.lan:8080', { host: 'tracker.lan' }],
    ['otherOrigin', 'http://a.lan:81', { host: 'a.lan', 'x-forwarded-port': '' }],
    ['otherOrigin', 'https://tracker.lan', { host: 'tracker.lan:80' }],
    ['otherOrigin', 'http://evil.example', {}],
    ['otherOrigin', 'http://tracker.lan.evil.example', { host: 'tracker.lan' }],
    ['otherOrigin', 'http://evil-tracker.lan', { host: 'tracker.lan' }],
    ['otherOrigin', 'http://lan', { host: 'tracker.lan' }],
    ['otherOrigin', 'null', { host: 'null' }],
    ['otherOrigin', '', { host: '' }],
    ['otherOrigin', 'tracker.lan', { host: 'tracker.lan' }],
    ['otherOrigin', 'chrome-extension://tracker.lan', { host: 'evil.example' }],
    ['otherOrigin', 'http://evil.example', { host: 'a.lan', forwarded: 'for=evil.example' }],
  ])('is of %s if it says Origin: %s and %j', (sender, origin, headers) => {
    expect(senderOf({ host: 'upstream:3000', ...headers, origin })).toBe(sender);
  });

  test.each<[sender: string, site: string | undefined, origin: string | undefined]>([
    ['sameOrigin', 'same-origin', 'http://elsewhere.lan'],
    ['sameOrigin', 'same-origin', 'null'],
    ['otherOrigin', 'same-site', 'http://a.lan'],
    ['otherOrigin', 'cross-site', 'http://a.lan'],
    ['otherOrigin', 'same-origin, cross-site', 'http://a.lan'],
    ['otherOrigin', '', undefined],
    ['sameOrigin', 'none', 'http://a.lan'],
    ['otherOrigin', 'none', 'null'],
    ['unknown', 'none', undefined],
    ['unknown', undefined, undefined],
  ])('is of %s if Sec-Fetch-Site is %s and Origin %s', (sender, site, origin) => {
    const headers = { host: 'a.lan', origin, 'sec-fetch-site': site };
    expect(senderOf(headers)).toBe(sender);
  });
});

test('headers of any length are short and printable in the log', () => {
  for (const piece of [',', ' ', utf8('ü'), '\u009b', 'host="', '\t']) {
    const value = piece.repeat(3_000);
    const headers = { host: value, origin: `http://${value}`, forwarded: value };
    expect(senderOf(headers)).toBe('otherOrigin');
    for (const logged of Object.values(describeSender(headers))) {
      expect(logged).toMatch(/^[ -~]{300}$/);
    }
  }
});
