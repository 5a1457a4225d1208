import type { Steps } from '../../../platform/concurrency/steps.ts'
import type { Asset, Assets } from '../assets.ts'

/** Code of a creative as one text: what a browser or a player would run or read. */
export function codeOf(assets: Assets): string {
  return Object.values(assets)
    .flatMap((asset) => (asset ? textOfCode(asset) : []))
    .join('\n')
}

function textOfCode(asset: Asset): string[] {
  switch (asset.asset_type) {
    case 'html':
    case 'javascript':
    case 'css':
      return [asset.content]
    case 'vast':
    case 'daast':
      return 'content' in asset ? [asset.content] : []
    default:
      return []
  }
}

/** Patterns that tell what code may do, with the words to report them by. Each is linear in the length of the code. */
export const SIGNS = {
  redirect: [
    [/(?<![-\w])location\s*(?:\.\s*href\s*)?=(?!=)/i, 'sets the location of a window'],
    [/(?<![-\w])location\s*\.\s*(?:assign|replace)\s*\(/i, 'replaces the page'],
    [/<meta[^<>]{0,200}http-equiv\s*=\s*["']?refresh/i, 'refreshes the page'],
  ],
  popup: [
    [/\bwindow\s*\.\s*open\s*\(|\bopen\s*\(\s*["'`]https?:/i, 'opens a window'],
    [/\b(?:alert|confirm|prompt)\s*\(/i, 'opens a dialog'],
  ],
  storage: [[/\b(?:document\s*\.\s*cookie|localStorage|sessionStorage|indexedDB)\b/i, 'reads or writes what the browser stores']],
  dynamic: [
    [/\beval\s*\(|\bnew\s+Function\s*\(/i, 'makes code of text'],
    [/\bdocument\s*\.\s*write(?:ln)?\s*\(/i, 'writes into the page'],
  ],
  script: [
    [/<script\b/i, 'has a script'],
    [/\s(?:on[a-z]{3,20})\s*=\s*["']?[^"'\s>]/i, 'has an event handler'],
  ],
} as const satisfies Record<string, readonly (readonly [RegExp, string])[]>

/** What of the given signs code shows. */
export function signsIn(code: string, signs: readonly (readonly [RegExp, string])[]): string[] {
  return [...new Set(signs.filter(([pattern]) => pattern.test(code)).map(([, words]) => words))]
}

/** Most hosts that are counted and named of one creative. */
export const MOST_HOSTS = 1_000

/** Hosts that a creative loads from or leads to, in the order of the alphabet: of more than {@link MOST_HOSTS}, those that it names first. A step is an address. */
export function* hostsOf(assets: Assets): Steps<string[]> {
  const [seen, hosts] = [new Set<string>(), new Set<string>()]
  for (const address of addressesIn(assets)) {
    yield
    if (seen.has(address)) continue
    seen.add(address)
    const plain = address.replaceAll(/\{[A-Z][A-Z0-9_]*\}/g, 'x')
    const host = URL.canParse(plain) ? new URL(plain).hostname : ''
    if (host !== '') hosts.add(host)
    if (hosts.size === MOST_HOSTS) break
  }
  return [...hosts].sort()
}

/** Addresses of assets, then those in code, one at a time: code may name some hundred thousand. */
function* addressesIn(assets: Assets): Generator<string> {
  for (const asset of Object.values(assets)) if (asset && 'url' in asset && typeof asset.url === 'string') yield asset.url
  for (const [address] of codeOf(assets).matchAll(/https?:\/\/[a-z0-9.-]{1,253}/gi)) yield address
}
