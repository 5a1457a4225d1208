import { escapeHtml } from '../creative/macros/encode.ts'

/** What kind of place asks: a box of a page that takes certain sizes, the page's own cards, or a video player. */
export const PLACE_KINDS = ['display', 'native', 'video'] as const
export type PlaceKind = (typeof PLACE_KINDS)[number]

/** The width and height in pixels that a text such as `300x250` says. */
export function sizeOfText(text: string): { readonly width: number; readonly height: number } {
  const [width = 0, height = 0] = text.split('x').map(Number)
  return { width, height }
}

/** What a tag asks for. */
export interface TaggedPlace {
  readonly place: string
  readonly kind: PlaceKind
  readonly sizes: readonly string[]
}

/** How a place without rules of its own looks: by the ids of the formats that its product takes. Undefined: the embedded ad server shows none of them. */
export function placeOfFormats(formatIds: readonly string[]): Pick<TaggedPlace, 'kind' | 'sizes'> | undefined {
  const sizes = [...new Set(formatIds.flatMap((format) => /^display_(\d+x\d+)/.exec(format)?.[1] ?? []))]
  if (sizes.length > 0) return { kind: 'display', sizes }
  if (formatIds.some((format) => format.startsWith('native'))) return { kind: 'native', sizes }
  return formatIds.some((format) => /^(video|preroll|vast)_/.test(format)) ? { kind: 'video', sizes } : undefined
}

/** The line that a page has once, in its `head`. `origin`: where the ad server is reached. */
export function pageScript(origin: string, publisher: string): string {
  return `<script async src="${escapeHtml(origin)}/ads/tag.js" data-publisher="${escapeHtml(publisher)}"></script>`
}

/** The element of a place in a page, with the room of its tallest ad, so that the page does not move when one comes; not for video, whose player asks {@link vastAddress}. */
export function placeElement({ place, kind, sizes }: TaggedPlace): string {
  const tallest = Math.max(0, ...sizes.map((size) => sizeOfText(size).height))
  const size =
    kind === 'display' && sizes.length > 0 ? ` data-sizes="${escapeHtml(sizes.join(','))}" style="min-height:${tallest}px"` : ''
  return `<div data-ad="${escapeHtml(place)}" data-kind="${kind}"${size}></div>`
}

/** The address of the ads of a place for a video player. */
export function vastAddress(origin: string, publisher: string, place: string): string {
  return `${origin}/ads/${publisher}/vast?place=${encodeURIComponent(place)}&v=4.2`
}
