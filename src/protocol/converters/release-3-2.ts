import { entries, withResult } from './change-members.ts'
import { withoutOfficialFormats } from './format-options.ts'
import type { Conversions, Json, LineConverter } from './line-converter.ts'

/** 3.2 lets no seller ask for more in the frame of a preview than an empty sandbox (creative/preview-render.json). */
function inEmptySandbox(render: Json): Json {
  const { embedding } = render
  if (typeof embedding !== 'object' || embedding === null || !('recommended_sandbox' in embedding)) return render
  return { ...render, embedding: { ...embedding, recommended_sandbox: '' } }
}

const withRenders = (answer: Json): Json => entries(answer, 'previews', (preview) => entries(preview, 'renders', inEmptySandbox))

/** Accounts tell the time zone of their days, which is UTC for all of them (capabilities, `account.timezone`); refused rows are no accounts. */
function inUtc(account: Json): Json {
  return account.action === 'failed' ? account : { ...account, timezone: 'UTC' }
}

const ANSWERS: Conversions = {
  get_products: (answer) => entries(answer, 'products', withoutOfficialFormats),
  sync_accounts: (answer) => entries(answer, 'accounts', inUtc),
  list_accounts: (answer) => entries(answer, 'accounts', inUtc),
  preview_creative: (answer) =>
    entries(withRenders(answer), 'results', (result) => {
      const { response } = result
      return typeof response === 'object' && response !== null ? { ...result, response: withRenders({ ...response }) } : result
    }),
  build_creative: (answer) => {
    const { preview } = answer
    return typeof preview === 'object' && preview !== null ? { ...answer, preview: withRenders({ ...preview }) } : answer
  },
}

const UNATTESTED = 'its answer has to refer to an attestation of the grant, and this agent issues none'

/** The step between AdCP 3.1 and 3.2. */
export const RELEASE_3_2: LineConverter = {
  // 3.2 takes assignments without creatives (creative/sync-creatives-request.json).
  requests: { sync_creatives: (request) => ({ creatives: [], ...request }) },
  answers: { ...ANSWERS, get_task_status: withResult(ANSWERS) },
  bindsApprovals: true,
  declinesSearches: true,
  closed: [
    ...['list_products', 'buy_products', 'control_media_buy'],
    ...['request_proposals', 'refine_proposals', 'accept_proposal', 'decline_proposals'],
  ],
  withheld: { acquire_rights: UNATTESTED, update_rights: UNATTESTED },
}
