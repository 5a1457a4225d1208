/** How a built ad looks: what refinements change. Colours as `#rrggbb`. */
export interface Style {
  readonly background: string
  readonly accent: string
  /** Factor on the size of the headline. */
  readonly headlineScale: number
  /** Factor on the size of all other text. */
  readonly textScale: number
}

export type StyleChange = Partial<Style>

export const PLAIN: Style = { background: '#ffffff', accent: '#0b57d0', headlineScale: 1, textScale: 1 }

/** Names of colours that people use in instructions, as values. */
export const COLOURS: Readonly<Record<string, string>> = {
  black: '#111111',
  white: '#ffffff',
  gray: '#6b7280',
  grey: '#6b7280',
  red: '#c62828',
  orange: '#e65100',
  yellow: '#f9c80e',
  green: '#2e7d32',
  teal: '#00796b',
  blue: '#1565c0',
  navy: '#0d2b52',
  purple: '#6a1b9a',
  pink: '#c2185b',
  brown: '#5d4037',
  dark: '#1b1b1f',
  light: '#f5f5f5',
}

/** A style as the mark of a built document holds it. */
export function writeStyle({ background, accent, headlineScale, textScale }: Style): string {
  return `background=${background} accent=${accent} headline=${headlineScale} text=${textScale}`
}

/** The style of a mark, which may have been changed on the way: what makes no sense is left out. */
export function readStyle(mark: string): StyleChange {
  const value = (name: string) => new RegExp(`(?:^| )${name}=([#.0-9a-f]{1,9})(?: |$)`, 'i').exec(mark)?.[1]
  const [background, accent, headline, text] = [value('background'), value('accent'), value('headline'), value('text')]
  return {
    ...(isColour(background) && { background }),
    ...(isColour(accent) && { accent }),
    ...(headline !== undefined && { headlineScale: scale(Number(headline)) }),
    ...(text !== undefined && { textScale: scale(Number(text)) }),
  }
}

/** A factor that leaves text readable, with two decimals. */
export function scale(factor: number): number {
  return Number.isFinite(factor) ? Math.round(Math.min(2.5, Math.max(0.5, factor)) * 100) / 100 : 1
}

/** Whether text is a colour as this server writes it. */
export function isColour(value: unknown): value is string {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
}

/** Black or white, whichever can be read on a colour (WCAG 2.2, relative luminance). */
export function inkOn(background: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(background.slice(start, start + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? '#000000' : '#ffffff'
}
