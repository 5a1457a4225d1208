import { outline } from '../../domain/summary/outline.ts'

/** sync_creatives: each creative with what became of it. */
export const summarizeSyncedCreatives = (response: object): string =>
  outline(
    response,
    'Next: list_creatives shows the review; update_media_buy or sync_creatives assignments put approved ones into packages.',
  )

/** list_creatives: each creative with its review status. */
export const summarizeCreatives = (response: object): string =>
  outline(response, 'Next: filters.creative_ids shows the assets of a creative.')
