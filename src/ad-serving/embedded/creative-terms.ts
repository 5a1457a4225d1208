import type { Asset, Assets } from '../../domain/creative/assets.ts'
import type { CreativeContent as LibraryContent } from '../../domain/creative/creative.ts'
import type { Format } from '../../domain/creative/formats/format.ts'
import { isWebAddress, urlTemplate } from '../../domain/creative/macros/fill.ts'
import { renderSize } from '../../domain/creative/preview/render.ts'
import type { CreativeContent, CreativeTerms } from './line.ts'

/** A zip archive of an HTML5 creative (AdCP 3.1 core/assets/zip-asset.json), before it is fetched and hosted. */
export interface ZipContent {
  readonly kind: 'zip'
  readonly url: string
  readonly entryPoint: string
  readonly maxBytes?: number
  /** Of SHA-256, in hexadecimal. */
  readonly digest?: string
  readonly extensions?: readonly string[]
}

/** What is to be served of a creative, with the files where the buyer put them. */
export interface WantedTerms extends Omit<CreativeTerms, 'content'> {
  readonly content: CreativeContent | ZipContent
}

type AssetOf<T extends Asset['asset_type']> = Extract<Asset, { asset_type: T }>

/** Asset ids of the page that a click leads to; a URL asset that says so by its `url_type` comes first. */
const CLICK_ASSETS = ['click_url', 'clickthrough_url', 'landing_page_url']

/** Spots without a length of their own; the shortest that the standard formats sell. */
const SPOT_MS = 15_000

/**
 * What the embedded ad server serves of a creative of the library: code, an HTML5 archive, a VAST tag, a video file, a card or an image, in this order where a
 * creative has several. Addresses other than http(s) are left out. Undefined when nothing of it can be served here, or nobody
 * knows its size.
 */
export function creativeTermsOf(content: LibraryContent, format: Format | undefined): WantedTerms | undefined {
  const { assets, formatId, name } = content
  const served = contentOf(assets, lengthOf(formatId, format))
  if (!served) return undefined
  const fluid = served.kind === 'native' || served.kind === 'video' || served.kind === 'vast'
  const file = first(assets, 'image')
  const size = fluid ? undefined : (renderSize(formatId, format) ?? (file && { width: file.width, height: file.height }))
  // A box has to be as large as the ad in it.
  if (!fluid && !size) return undefined
  const clickUrl = clickUrlOf(assets)
  return {
    name,
    content: served,
    ...(size && { size: { width: size.width, height: size.height } }),
    ...(clickUrl !== undefined && { clickUrl }),
    trackers: trackersOf(assets),
    ...eventTrackers('viewTrackers', assets, 'viewable_mrc_50'),
    ...eventTrackers('clickTrackers', assets, 'click'),
  }
}

/** How a creative is shown and where a click on it leads, whatever its format is; undefined when nothing of it can be shown. */
export function shownOf(assets: Assets): Pick<WantedTerms, 'content' | 'clickUrl'> | undefined {
  const content = contentOf(assets, undefined)
  const clickUrl = clickUrlOf(assets)
  return content && { content, ...(clickUrl !== undefined && { clickUrl }) }
}

/** Milliseconds that creatives of a format play at most, where it has one length. A reference may say it where the format leaves it open. */
function lengthOf(formatId: LibraryContent['formatId'], format: Format | undefined): number | undefined {
  const { duration_ms: ofFormat } = unknownMembers(format?.delivery)
  return shorter(formatId.duration_ms, typeof ofFormat === 'number' ? ofFormat : undefined)
}

/** How long a video plays, and whether its buyer's word alone says so; undefined: nobody says. */
function playingOf(declaredMs: number | undefined, lengthMs: number | undefined) {
  const durationMs = shorter(declaredMs, lengthMs)
  return durationMs === undefined ? undefined : { durationMs, ...(lengthMs === undefined && { isDeclared: true as const }) }
}

/** The smaller of two lengths, of which either may not be known: no ad is longer than its format, whatever its buyer declares. */
function shorter(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

function contentOf(assets: Assets, lengthMs: number | undefined): WantedTerms['content'] | undefined {
  const html = first(assets, 'html')
  if (html) return { kind: 'html', html: html.content }
  const script = first(assets, 'javascript')
  if (script) return { kind: 'script', code: script.content }
  const zip = zipOf(assets)
  if (zip) return zip
  const vast = first(assets, 'vast')
  if (vast && 'url' in vast) {
    const url = urlTemplate(vast.url)
    return url === undefined ? undefined : { kind: 'vast', url, ...playingOf(vast.duration_ms, lengthMs) }
  }
  const video = first(assets, 'video')
  if (video) return videoOf(video, lengthMs)
  const title = textOf(assets, 'headline') ?? textOf(assets, 'title')
  if (title !== undefined) return nativeOf(assets, title)
  const image = first(assets, 'image')
  return image && isWebAddress(image.url) ? { kind: 'image', url: image.url, alt: image.alt_text ?? '' } : undefined
}

/** Releases before 3.1 have no such asset, so that its type does not name it. */
function zipOf(assets: Assets): ZipContent | undefined {
  const zip = Object.values(assets).find((asset) => String(asset?.asset_type) === 'zip')
  const { url, entry_point: entry, max_file_size_kb: most, digest, allowed_inner_extensions: extensions } = unknownMembers(zip)
  if (typeof url !== 'string' || !isWebAddress(url)) return undefined
  return {
    kind: 'zip',
    url,
    entryPoint: typeof entry === 'string' ? entry : 'index.html',
    ...(typeof most === 'number' && { maxBytes: most * 1024 }),
    ...(typeof digest === 'string' && { digest: digest.replace(/^sha256:/, '') }),
    ...(Array.isArray(extensions) && { extensions: extensions.filter((each) => typeof each === 'string') }),
  }
}

function unknownMembers(asset: object | undefined): Readonly<Record<string, unknown>> {
  return { ...asset }
}

function videoOf(video: AssetOf<'video'>, lengthMs: number | undefined): CreativeContent | undefined {
  if (!isWebAddress(video.url)) return undefined
  const { container_format: container = 'mp4', video_bitrate_kbps: bitrateKbps } = video
  return {
    kind: 'video',
    url: video.url,
    mimeType: container === 'webm' ? 'video/webm' : container === 'mov' ? 'video/quicktime' : 'video/mp4',
    ...(playingOf(video.duration_ms, lengthMs) ?? { durationMs: SPOT_MS, isAssumed: true }),
    width: video.width,
    height: video.height,
    ...(bitrateKbps !== undefined && { bitrateKbps }),
  }
}

function nativeOf(assets: Assets, title: string): CreativeContent {
  const [body, cta, sponsor] = [textOf(assets, 'body'), textOf(assets, 'cta'), textOf(assets, 'sponsor')]
  const [image, logo] = [imageUrl(assets.image), imageUrl(assets.logo)]
  return {
    kind: 'native',
    title,
    ...(body !== undefined && { body }),
    ...(cta !== undefined && { cta }),
    ...(sponsor !== undefined && { sponsor }),
    ...(image !== undefined && { image }),
    ...(logo !== undefined && { logo }),
  }
}

function imageUrl(asset: Asset | undefined): string | undefined {
  return asset?.asset_type === 'image' && isWebAddress(asset.url) ? asset.url : undefined
}

function textOf(assets: Assets, id: string): string | undefined {
  const asset = assets[id]
  return asset?.asset_type === 'text' || asset?.asset_type === 'markdown' ? asset.content : undefined
}

function clickUrlOf(assets: Assets): string | undefined {
  const declared = Object.values(assets).find((asset) => asset?.asset_type === 'url' && asset.url_type === 'clickthrough')
  const asset = declared ?? CLICK_ASSETS.map((id) => assets[id]).find((each) => each?.asset_type === 'url')
  return asset?.asset_type === 'url' ? urlTemplate(asset.url) : undefined
}

function trackersOf(assets: Assets): readonly string[] {
  return Object.entries(assets).flatMap(([id, asset]) => {
    if (asset?.asset_type !== 'url') return []
    if (eventOf(asset) !== undefined && eventOf(asset) !== 'impression') return []
    const isTracker = asset.url_type === 'tracker_pixel' || (asset.url_type === undefined && id.startsWith('impression_tracker'))
    const url = isTracker ? urlTemplate(asset.url) : undefined
    return url === undefined ? [] : [url]
  })
}

/** Pixels of one event (AdCP 3.1, core/assets/pixel-tracker-asset.json), as a member of the terms; nothing without any. */
function eventTrackers(name: 'viewTrackers' | 'clickTrackers', assets: Assets, event: string) {
  const urls = Object.values(assets).flatMap((asset) => {
    if (asset?.asset_type !== 'url' || asset.url_type !== 'tracker_pixel' || eventOf(asset) !== event) return []
    return urlTemplate(asset.url) ?? []
  })
  return urls.length > 0 && { [name]: urls }
}

function eventOf(asset: Asset): unknown {
  return unknownMembers(asset).tracker_event
}

function first<T extends Asset['asset_type']>(assets: Assets, type: T): AssetOf<T> | undefined {
  const isWanted = (asset: Asset | undefined): asset is AssetOf<T> => asset?.asset_type === type
  return Object.values(assets).find(isWanted)
}
