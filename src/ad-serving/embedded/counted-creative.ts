import type { Assets } from '../../domain/creative/assets.ts'
import { urlTemplate } from '../../domain/creative/macros/fill.ts'
import type { PricingModel } from '../../domain/product/pricing-option.ts'
import { billedKind } from './billing.ts'
import { shownOf } from './creative-terms.ts'
import type { CreativeContent } from './line.ts'

/** What of a creative decides which of its events are counted. */
export interface Shown {
  readonly content: { readonly kind: CreativeContent['kind'] | 'zip' }
  readonly clickUrl?: string
}

/**
 * Why a creative never makes the event that a price is charged for, and what to send instead; undefined where it does, or the price has no event of its own. A line would
 * show such a creative for nothing: it is not put on one, and not served there.
 */
export function uncounted(model: PricingModel, { content: { kind }, clickUrl }: Shown): string | undefined {
  const billed = billedKind(model)
  if (billed === 'click') {
    if (kind === 'vast')
      return `clicks of a VAST tag are counted by its own ad server, and the price (${model}) is charged by the click: ${INSTEAD}`
    if (!leadsSomewhere(clickUrl))
      return `it has no address that a click leads to, and the price (${model}) is charged by the click: ${CLICK}`
  }
  const isVideo = kind === 'video' || kind === 'vast'
  if ((billed === 'midpoint' || billed === 'complete') && !isVideo)
    return `it plays no video, and the price (${model}) is charged by what was played: send a video file (an asset of type video) or a VAST tag (of type vast)`
  return undefined
}

const CLICK = 'send click_url, the http(s) address of its page (an asset of type url)'
const INSTEAD = 'send a video file (an asset of type video), and click_url, the http(s) address of its page (of type url)'

/** {@link uncounted} of assets as a buyer sends them; undefined too where nothing of them can be shown. */
export function uncountedAssets(model: PricingModel, assets: Assets): string | undefined {
  const shown = shownOf(assets)
  return shown && uncounted(model, shown)
}

/** A macro for a whole address is not filled when the click comes: the page that it was on is gone. */
function leadsSomewhere(clickUrl: string | undefined): boolean {
  const template = clickUrl === undefined ? undefined : urlTemplate(clickUrl)
  return template !== undefined && !template.startsWith('{')
}
