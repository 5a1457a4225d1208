import { escapeHtml } from '../macros/encode.ts'

/** A web address as an attribute value; undefined for anything that a browser would run or read locally (`javascript:`, `data:`, `file:`). */
export function linkAttribute(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? escapeHtml(href) : undefined
}

/** A fragment made as small as it has to be to fit into a box of pixels, in its middle. `size`: its own size in pixels. */
export function fitted(fragment: string, size: Size, box: Size): string {
  const scale = Math.min(1, box.width / size.width, box.height / size.height)
  return `<div style="display:grid;place-items:center;height:100vh;overflow:hidden"><div style="zoom:${scale.toFixed(4)};width:${size.width}px;max-height:${size.height}px;overflow:hidden">${fragment}</div></div>`
}

interface Size {
  readonly width: number
  readonly height: number
}

/** A whole page around a fragment. */
export function pageOf(title: string, fragment: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>body{margin:0;font:14px/1.4 system-ui,sans-serif;color:#111;background:#fff}</style>` +
    `</head><body>${fragment}</body></html>`
  )
}
