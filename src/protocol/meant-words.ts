function each(words: string, ...meant: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, meant]))
}

/**
 * Values that stand for one of an enumeration and are spelled otherwise, with what they mean, in the order of likelihood. Sources: words of other sales
 * APIs, of the 2.x releases and of everyday speech; those of channels are with the words of briefs (domain/product/brief-synonyms.ts). Only what the enumeration at hand has is ever suggested.
 */
const MEANT_WORDS: Readonly<Record<string, readonly string[]>> = {
  ...each('img pic picture photo jpg jpeg png gif banner', 'image'),
  ...each('mp4 mov movie clip', 'video'),
  ...each('phone phones smartphone smartphones cell handset', 'mobile'),
  ...each('computer computers laptop laptops pc web_desktop', 'desktop'),
  ...each('price prices cpm cost', 'pricing_options'),
  ...each('live running on enabled open delivering', 'active', 'approved'),
  ...each('enable start on', 'activate'),
  ...each('disable stop off', 'deactivate'),
  ...each('pending waiting queued', 'submitted', 'pending_review', 'pending_start', 'pending_approval'),
  ...each('draft new', 'pending_creatives', 'pending_review'),
  ...each('done finished success ended complete', 'completed'),
  ...each('stopped on_hold', 'paused', 'suspended'),
  ...each('error', 'failed'),
  ...each('ok accepted', 'approved', 'active'),
  ...each('declined denied', 'rejected'),
  ...each('user users person people viewer', 'individuals'),
  ...each('home household', 'households'),
  ...each('day daily per_day', 'days', 'daily'),
  ...each('week weekly', 'weeks', 'daily'),
  ...each('month', 'months', 'monthly'),
  ...each('hour', 'hours', 'hourly'),
  ...each('search find text prompt query discovery', 'brief'),
  ...each('list catalog all browse', 'wholesale'),
  ...each('accept book commit approve confirm', 'finalize'),
  ...each('remove exclude drop', 'omit'),
  ...each('keep add', 'include'),
  ...each('similar', 'more_like_this'),
  ...each('fixed direct reserved programmatic_guaranteed pg', 'guaranteed'),
  ...each('auction rtb open_auction', 'non_guaranteed'),
  ...each('sale order conversion buy transaction', 'purchase'),
  ...each('signup sign_up register registration', 'complete_registration'),
  ...each('pageview visit', 'page_view'),
  ...each('site web browser online', 'website'),
  ...each('dsp ssp', 'platform'),
  ...each('buyer client', 'advertiser', 'agent'),
  ...each('agency', 'operator', 'agent'),
  ...each('asap frontload front_loaded fast', 'asap', 'front_loaded'),
  ...each('linear uniform', 'even'),
  ...each('owner own', 'property', 'parent'),
  ...each('iphone ipad', 'ios'),
  ...each('mac macbook osx', 'macos'),
  ...each('fire_tv firetv', 'fire_os'),
  ...each('roku', 'roku_os'),
  ...each('ctr click click_through_rate', 'clicks'),
  ...each('views view viewability', 'viewed_seconds', 'views', 'completed_views'),
  ...each('impression imps', 'impressions'),
}

/**
 * The values of an enumeration that a word stands for, or that begin with it: `phone` for `mobile`, `ai` for `ai_generated_image`; else the one that it shortens or
 * lengthens: `mon` for `monday`, `ascending` for `asc`, `dma` for `nielsen_dma`.
 */
export function meantWords(word: string, allowed: readonly string[]): readonly string[] {
  const spelled = word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  const known = Object.hasOwn(MEANT_WORDS, spelled) ? (MEANT_WORDS[spelled] ?? []) : []
  const meant = known.filter((each) => allowed.includes(each))
  if (meant.length > 0 || spelled.length < 2) return meant
  const begun = allowed.filter((each) => each.startsWith(`${spelled}_`)).slice(0, 3)
  if (begun.length > 0 || spelled.length < 3) return begun
  const alike = allowed.filter((each) => isAlike(each, spelled))
  return alike.length === 1 ? alike : []
}

/** Whether a value begins or ends with a word, or a word with a value. */
function isAlike(value: string, word: string): boolean {
  return value.startsWith(word) || value.endsWith(`_${word}`) || (value.length > 2 && word.startsWith(value))
}
