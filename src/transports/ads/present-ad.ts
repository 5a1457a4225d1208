import type { CreativeContent, EventKind } from '../../ad-serving/embedded/line.ts'
import type { Decision } from '../../ad-serving/embedded/service.ts'
import { fillUrl } from '../../domain/creative/macros/fill.ts'
import { adMacros } from './ad-macros.ts'
import type { AdAddresses } from './addresses.ts'
import type { DecisionRequest } from './decision-request.ts'

/** An ad as a page gets it. */
export interface PresentedAd {
  readonly kind: 'image' | 'frame' | 'native' | 'video'
  readonly width?: number
  readonly height?: number
  /** Address of a document for a frame without an origin; with `frame` only. */
  readonly frame_url?: string
  readonly image?: { readonly url: string; readonly alt: string }
  readonly native?: Omit<Extract<CreativeContent, { kind: 'native' }>, 'kind'>
  readonly video?: { readonly url: string; readonly mime_type: string; readonly duration_ms: number }
  /** Where a click goes; absent for an ad that leads nowhere, and for frames, which have their own links. */
  readonly click_url?: string
  /** Called by the page when it happens, once. */
  readonly events: Readonly<Record<'impression' | 'viewable', string>>
  /** Called with the impression: addresses of others. */
  readonly trackers: readonly string[]
  /** Called when the ad was viewable, and with a click; absent: none. */
  readonly view_trackers?: readonly string[]
  readonly click_trackers?: readonly string[]
}

/** An ad for a page: addresses in place of anything that runs. */
export function presentAd(decision: Decision, request: DecisionRequest, addresses: AdAddresses): PresentedAd {
  const { token, served, creative } = decision
  const { content, size, clickUrl, trackers, viewTrackers, clickTrackers } = creative
  const click = addresses.click(token)
  const macros = adMacros(decision, { click }, request)
  const event = (kind: EventKind) => addresses.event(token, kind)
  return {
    ...shown(content, addresses.frame(token), (url) => addresses.file(served.tenantId, url)),
    ...size,
    ...(clickUrl !== undefined && { click_url: click }),
    events: { impression: event('impression'), viewable: event('viewable') },
    trackers: trackers.map((each) => fillUrl(each, macros)),
    ...(viewTrackers && { view_trackers: viewTrackers.map((each) => fillUrl(each, macros)) }),
    ...(clickTrackers && { click_trackers: clickTrackers.map((each) => fillUrl(each, macros)) }),
  }
}

function shown(
  content: CreativeContent,
  frameUrl: string,
  fileAt: (url: string) => string,
): Pick<PresentedAd, 'kind' | 'image' | 'native' | 'video' | 'frame_url'> {
  switch (content.kind) {
    case 'image':
      return { kind: 'image', image: { url: fileAt(content.url), alt: content.alt } }
    case 'native': {
      const { kind, image, logo, ...texts } = content
      const files = { ...(image !== undefined && { image: fileAt(image) }), ...(logo !== undefined && { logo: fileAt(logo) }) }
      return { kind, native: { ...texts, ...files } }
    }
    case 'video':
      return { kind: 'video', video: { url: fileAt(content.url), mime_type: content.mimeType, duration_ms: content.durationMs } }
    case 'vast':
      return { kind: 'video' }
    default:
      return { kind: 'frame', frame_url: frameUrl }
  }
}
