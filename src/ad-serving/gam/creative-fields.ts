import type { DesiredCreative } from '../../domain/ad-serving/desired-order.ts'
import { trafficName } from '../../domain/ad-serving/trafficking.ts'
import type { Assets } from '../../domain/creative/assets.ts'
import { fillMacros } from '../../domain/creative/macros/fill.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { creativeTermsOf, type WantedTerms } from '../embedded/creative-terms.ts'
import type { Size } from '../embedded/line.ts'
import { type CreativeFile, fetchCreativeFile } from './creative-file.ts'
import { cardFields } from './creative-template.ts'
import type { GamProduct } from './gam-options.ts'
import type { GamParts } from './gam-parts.ts'
import { type SoapParameters, typed } from './soap-elements.ts'

/** Macros that Google Ad Manager has under another name (https://support.google.com/admanager/answer/2376981). */
const MACROS = {
  CACHEBUSTER: '%%CACHEBUSTER%%',
  CLICK_URL: '%%CLICK_URL_UNESC%%',
  DEVICE_ID: '%%ADVERTISING_IDENTIFIER_PLAIN%%',
  DOMAIN: '%%SITE%%',
}

/** What a creative is written with. */
export interface FieldsOf {
  readonly creative: DesiredCreative
  /** Id of the advertiser of its order. */
  readonly advertiserId: string
  /** The products that its order has lines of. */
  readonly products: readonly GamProduct[]
  /** The creative that is changed; undefined: it is made. */
  readonly id?: string
}

/** Kinds of formats whose creatives can be written by the API. */
export const GAM_FORMATS = ['image', 'html5', 'display_tag', 'video_hosted', 'video_vast', 'native_in_feed'] as const

/** A creative as the SOAP API is given it, in the order of its schema. Throws AdcpError, a refusal, for what has no type there, and GamOutage when a file cannot be fetched now. */
export async function creativeFields(parts: Pick<GamParts, 'call' | 'options'>, of: FieldsOf): Promise<SoapParameters> {
  const { creative, products } = of
  const size = sizeOf(creative, sizesOf(products, false))
  const { externalId, name, formatId } = creative
  const content = { name, formatId: { ...formatId, ...size }, assets: creative.assets as Assets, tags: [] }
  const terms = creativeTermsOf(content, undefined)
  if (!terms) throw cannotBeWritten(externalId, 'it has no image, markup, archive, video, VAST tag or card, or no size')
  const inPlayer = terms.content.kind === 'vast' || terms.content.kind === 'video' || !size
  return await ofContent(parts, of, terms, inPlayer ? videoSize(terms, sizesOf(products, true)) : size)
}

async function ofContent(
  parts: Pick<GamParts, 'call' | 'options'>,
  of: FieldsOf,
  terms: WantedTerms,
  size: Size,
): Promise<SoapParameters> {
  const { content, trackers } = terms
  const { creative } = of
  const thirdPartyImpressionTrackingUrls = trackers.map(macros)
  const base = (type: string) => ({
    ...typed(type),
    advertiserId: of.advertiserId,
    ...(of.id !== undefined && { id: of.id }),
    name: trafficName(creative),
    size: { width: size.width, height: size.height, isAspectRatio: false },
  })
  const tag = (snippet: string) => ({
    ...base('ThirdPartyCreative'),
    snippet: macros(snippet),
    isSafeFrameCompatible: true,
    thirdPartyImpressionTrackingUrls,
  })
  switch (content.kind) {
    case 'html':
      return tag(content.html)
    case 'script':
      return tag(content.src === undefined ? `<script>${content.code ?? ''}</script>` : `<script src="${content.src}"></script>`)
    case 'zip': {
      const html5Asset = assetOf(await fetchCreativeFile(parts, content.url, content.digest))
      return { ...base('Html5Creative'), thirdPartyImpressionTrackingUrls, isSafeFrameCompatible: true, html5Asset }
    }
    case 'vast':
      return {
        ...base('VastRedirectCreative'),
        ...{ vastXmlUrl: macros(content.url), vastRedirectType: 'LINEAR', duration: content.durationMs },
        ...(trackers.length > 0 && { trackingUrls: impressionTrackers(trackers) }),
      }
    case 'video':
      return {
        ...base('VideoRedirectCreative'),
        ...destination(terms),
        ...{ duration: content.durationMs, allowDurationOverride: true },
        ...(trackers.length > 0 && { trackingUrls: impressionTrackers(trackers) }),
        videoAssets: {
          redirectUrl: content.url,
          metadata: {
            scalableType: 'RATIO_SCALABLE',
            duration: content.durationMs,
            bitRate: content.bitrateKbps,
            size: { width: content.width, height: content.height },
            mimeType: VIDEO_TYPES[content.mimeType],
            deliveryType: 'PROGRESSIVE',
          },
        },
      }
    case 'image': {
      const common = { altText: content.alt === '' ? undefined : content.alt, thirdPartyImpressionTrackingUrls }
      const file = await fetchCreativeFile(parts, content.url)
      return file.bytes.length > MOST_IMAGE
        ? { ...base('ImageRedirectCreative'), ...destination(terms), imageUrl: content.url, ...common }
        : { ...base('ImageCreative'), ...destination(terms), overrideSize: true, primaryImageAsset: assetOf(file), ...common }
    }
    case 'native':
      return { ...base('TemplateCreative'), ...cardFields(parts.options, creative, content, terms.clickUrl) }
    case 'bundle':
      throw cannotBeWritten(creative.externalId, 'its archive is only here')
  }
}

const VIDEO_TYPES: Readonly<Record<string, string>> = {
  'video/mp4': 'VIDEO_MP4',
  'video/webm': 'VIDEO_WEBM',
  'video/quicktime': 'VIDEO_QUICKTIME',
}

/** Largest image that the API takes (https://support.google.com/admanager/answer/1185265); a larger one is shown from where the buyer put it. */
const MOST_IMAGE = 1_000_000

function macros(text: string): string {
  return fillMacros(text, MACROS)
}

function destination({ clickUrl }: WantedTerms): SoapParameters {
  return clickUrl === undefined
    ? { destinationUrlType: 'NONE' }
    : { destinationUrl: macros(clickUrl), destinationUrlType: 'CLICK_TO_WEB' }
}

function impressionTrackers(trackers: readonly string[]): SoapParameters {
  return { key: 'CREATIVE_VIEW', value: { urls: trackers.map(macros) } }
}

function assetOf({ bytes, name }: CreativeFile): SoapParameters {
  return { assetByteArray: bytes.toString('base64'), fileName: name }
}

/** Its own size, else that of its format, else the only one that its order can show. */
function sizeOf({ assets, formatId }: DesiredCreative, sizes: readonly string[]): Size | undefined {
  const image = Object.values(assets).find((asset): asset is Size => hasSize(asset))
  if (formatId.width !== undefined && formatId.height !== undefined) return { width: formatId.width, height: formatId.height }
  if (image) return { width: image.width, height: image.height }
  const named = sizes.filter((size) => formatId.id.includes(size))
  const [only, ...others] = named.length > 0 ? named : sizes
  return only === undefined || others.length > 0 ? undefined : sizeIn(only)
}

/** Sizes of products whose ads are shown in a player, or of the others; `width x height`. */
function sizesOf(products: readonly GamProduct[], inPlayer: boolean): readonly string[] {
  return [...new Set(products.filter(({ video = false }) => video === inPlayer).flatMap(({ sizes }) => sizes))]
}

function hasSize(asset: unknown): boolean {
  if (typeof asset !== 'object' || asset === null) return false
  const { asset_type: type, width, height } = { asset_type: '', width: 0, height: 0, ...asset }
  return type === 'image' && typeof width === 'number' && typeof height === 'number' && width > 0 && height > 0
}

/** Videos fill the player: they have the size of what the line asks for. */
function videoSize({ content }: WantedTerms, sizes: readonly string[]): Size {
  if (sizes[0] !== undefined) return sizeIn(sizes[0])
  return content.kind === 'video' ? content : { width: 640, height: 480 }
}

/** Width and height of `width x height`. */
export function sizeIn(text: string): Size {
  const [width = 0, height = 0] = text.split('x').map(Number)
  return { width, height }
}

function cannotBeWritten(externalId: string, why: string): AdcpError {
  return new AdcpError('UNSUPPORTED_FEATURE', `creative ${externalId} cannot be put into Google Ad Manager: ${why}`, {
    field: 'assets',
  })
}
