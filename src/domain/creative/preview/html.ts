import { escapeHtml } from '../macros/encode.ts'

/** A web address as an attribute value; undefined for anything that a browser would run or read locally (`javascript:`, `data:`, `file:`). */
export function linkAttribute(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? escapeHtml(href) : undefined
}

/** A whole page around a fragment. */
export function pageOf(title: string, fragment: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>body{margin:0;font:14px/1.4 system-ui,sans-serif;color:#111;background:#fff}</style>` +
    `</head><body>${fragment}</body></html>`
  )
}
