/** Text for element content and quoted attributes (HTML Living Standard, 13.3 "escaping a string"). */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A web address as an attribute value; undefined for anything that a browser would run or read locally (`javascript:`, `data:`, `file:`). */
export function linkAttribute(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? escapeHtml(href) : undefined
}

/** Puts values in the place of universal macros, `{NAME}`; those without a value stay as they are. */
export function withMacros(
  text: string,
  macros: Readonly<Record<string, string | undefined>>,
  encode = (value: string) => value,
): string {
  return text.replace(/\{([A-Z][A-Z0-9_]*)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(macros, name) ? macros[name] : undefined
    return value === undefined ? whole : encode(value)
  })
}

/** A whole page around a fragment. */
export function pageOf(title: string, fragment: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>body{margin:0;font:14px/1.4 system-ui,sans-serif;color:#111;background:#fff}</style>` +
    `</head><body>${fragment}</body></html>`
  )
}
