import type { Assets } from '../assets.ts'

/** The quartiles of a video (VAST 4.2, 3.14.1): the event, the share of the video that is over at it, and its name for people. */
const QUARTILES = [
  ['start', 0, 'Start'],
  ['firstQuartile', 0.25, '25 %'],
  ['midpoint', 0.5, '50 %'],
  ['thirdQuartile', 0.75, '75 %'],
  ['complete', 1, 'Complete'],
] as const

/** The longest VAST document that is read for a preview, in characters; those that are served have some thousands. */
export const MOST_VAST = 256_000

/** What a person sees of a VAST document. */
export interface VastFacts {
  /** Address of the first media file. */
  readonly media?: string
  readonly clickThrough?: string
  /** Address of the document that this one wraps. */
  readonly wrapped?: string
  /** How many addresses are called, by event; `impression` among them. */
  readonly calls: Readonly<Record<string, number>>
}

/** Reads a VAST document (VAST 4.2, 3). Linear in its length; what is longer than {@link MOST_VAST} is cut. */
export function readVast(document: string): VastFacts {
  const text = document.slice(0, MOST_VAST)
  const calls = new Map<string, number>()
  for (const _address of addressesIn(text, 'Impression')) calls.set('impression', (calls.get('impression') ?? 0) + 1)
  for (const { head } of elementsOf(text, 'Tracking')) {
    const [, event = ''] = /\sevent="([A-Za-z]{1,40})"/.exec(head.slice(0, 500)) ?? []
    if (event !== '') calls.set(event, (calls.get(event) ?? 0) + 1)
  }
  const [media] = addressesIn(text, 'MediaFile')
  const [clickThrough] = addressesIn(text, 'ClickThrough')
  const [wrapped] = addressesIn(text, 'VASTAdTagURI')
  return {
    ...(media !== undefined && { media }),
    ...(clickThrough !== undefined && { clickThrough }),
    ...(wrapped !== undefined && { wrapped }),
    calls: Object.fromEntries(calls),
  }
}

/** The document that a creative has inline, or its address; undefined: it has no VAST. */
export function vastOfAssets(assets: Assets): { readonly inline?: string; readonly url?: string } | undefined {
  for (const asset of Object.values(assets)) {
    if (asset?.asset_type !== 'vast') continue
    return 'content' in asset ? { inline: asset.content } : { url: asset.url }
  }
  return undefined
}

/** Lights each quartile as it is reached. The whole of what runs in a preview that has it. */
export const PLAYER_SCRIPT = `for(const video of document.querySelectorAll('video')){const marks=[...document.querySelectorAll('[data-at]')];let reached=-1;const light=()=>{for(const mark of marks)if(Number(mark.dataset.at)<=reached){mark.style.background='#1a7f37';mark.style.color='#fff'}};video.addEventListener('playing',()=>{reached=Math.max(reached,0);light()});video.addEventListener('timeupdate',()=>{if(!(video.duration>0))return;reached=Math.max(reached,video.currentTime/video.duration);light()});video.addEventListener('ended',()=>{reached=1;light()})}`

/** A player with the quartiles below it, and how many addresses of the VAST document each calls. Runs {@link PLAYER_SCRIPT}. */
export function withQuartiles(player: string, { calls }: Partial<VastFacts>): string {
  const marks = QUARTILES.map(([event, at, name]) => {
    const count = calls?.[event] ?? 0
    const called = calls === undefined ? '' : `<br><small>${count} ${count === 1 ? 'address' : 'addresses'} called</small>`
    return `<li data-at="${at}" style="flex:1 1 80px;border:1px solid #999;border-radius:4px;padding:4px 8px">${name}${called}</li>`
  })
  return `${player}<ol style="display:flex;flex-wrap:wrap;gap:4px;list-style:none;margin:8px 0;padding:0" aria-label="Quartiles">${marks.join('')}</ol><script>${PLAYER_SCRIPT}</script>`
}

/** The addresses in elements of a name that are not empty, as text or in CDATA. */
function addressesIn(text: string, name: string): string[] {
  return [...elementsOf(text, name)].flatMap(({ content }) => {
    const address = content.replace('<![CDATA[', '').replace(']]>', '').replaceAll('&amp;', '&').trim()
    return address === '' ? [] : [address]
  })
}

/** The elements of a name in their order, with the text of the start tag and what is up to the end tag. */
function* elementsOf(text: string, name: string): Generator<{ readonly head: string; readonly content: string }> {
  const open = new RegExp(`<${name}(?=[\\s>])`, 'g')
  for (const { index } of text.matchAll(open)) {
    const headEnd = text.indexOf('>', index)
    const end = headEnd < 0 ? -1 : text.indexOf(`</${name}>`, headEnd)
    if (end < 0) return
    yield { head: text.slice(index, headEnd), content: text.slice(headEnd + 1, end) }
  }
}
