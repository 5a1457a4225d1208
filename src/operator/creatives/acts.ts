import type { Act } from '../act.ts'
import { listCreativeRules, removeCreativeRule, setCreativeRule, showCreativeRules } from './creative-rules.ts'
import { approveCreative, rejectCreative } from './decide-creative.ts'
import { examineCreative } from './examine-creative.ts'
import { listCreatives } from './list-creatives.ts'
import { linkCreativePreview } from './preview-link.ts'
import { purgeCreative } from './purge-creative.ts'
import { setCreativeReview } from './review-creatives.ts'
import { showCreative } from './show-creative.ts'
import { previewCreative } from './show-preview.ts'

/** What can be done with the creatives of buyers, in the order of the help. */
export const creativeActs: readonly Act[] = [
  listCreatives,
  showCreative,
  previewCreative,
  examineCreative,
  approveCreative,
  rejectCreative,
  purgeCreative,
  linkCreativePreview,
  listCreativeRules,
  showCreativeRules,
  setCreativeRule,
  removeCreativeRule,
  setCreativeReview,
]
