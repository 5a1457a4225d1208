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

/** Hosts that a creative loads from or leads to, in the order of the alphabet. */
export function hostsOf(assets: Assets): string[] {
  const addresses = Object.values(assets).flatMap((asset) =>
    asset && 'url' in asset && typeof asset.url === 'string' ? [asset.url] : [],
  )
  const inCode = [...codeOf(assets).matchAll(/https?:\/\/[a-z0-9.-]{1,253}/gi)].map(([address]) => address)
  const hosts = [...addresses, ...inCode].flatMap((address) => {
    const plain = address.replaceAll(/\{[A-Z][A-Z0-9_]*\}/g, 'x')
    return URL.canParse(plain) ? [new URL(plain).hostname] : []
  })
  return [...new Set(hosts.filter((host) => host !== ''))].sort()
}
