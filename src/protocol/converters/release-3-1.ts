import { entries, renamed, withResult } from './change-members.ts'
import { manifestIn, packagesIn, withFormatId } from './format-options.ts'
import type { Conversion, Conversions, Json, LineConverter } from './line-converter.ts'

/**
 * What AdCP 3.1 has otherwise than 3.0 (migration page of 3.1; the schemas of both). At the root of an answer `status` is that of the task, so a body's
 * own status has a name of its own.
 */
const mediaBuy: Conversion = ({ status, ...rest }) =>
  rest.media_buy_id === undefined || status === undefined
    ? { ...(status !== undefined && { status }), ...rest }
    : { media_buy_status: status, ...rest }

/** `cache_scope` says for whom an answer may be stored. These answers follow the caller's own offers, so they are for its account alone. */
const feed: Conversion = (answer) => ({ cache_scope: 'account', ...answer })

/** The error form of an answer has no body of which `status` could be. */
const bodyStatus =
  (name: string): Conversion =>
  (answer) =>
    answer.errors === undefined ? renamed(answer, 'status', name) : answer

/** A creative is known by its kind of format alone: the two names exclude each other from 3.1 on (creative/list-creatives-response.json). */
function withoutFormatId(creative: Json): Json {
  const { format_id: _id, ...rest } = creative
  return rest.format_kind === undefined ? creative : rest
}

const ANSWERS: Conversions = {
  list_creatives: (answer) => entries(answer, 'creatives', withoutFormatId),
  create_media_buy: mediaBuy,
  update_media_buy: mediaBuy,
  get_products: feed,
  get_signals: feed,
  check_governance: bodyStatus('verdict'),
  report_plan_outcome: bodyStatus('outcome_state'),
  acquire_rights: ({ error: _denial, ...answer }) => bodyStatus('rights_status')(answer),
  creative_approval: bodyStatus('approval_status'),
  get_plan_audit_logs: (answer) =>
    entries(answer, 'plans', (plan) => entries(plan, 'entries', (entry) => renamed(entry, 'status', 'verdict'))),
}

/** 3.1 splits AUTH_REQUIRED, names the lack of a scope, and has one code for what is referred to and not there (error-handling page, enums/error-code). */
const CODES = {
  AUTH_REQUIRED: 'AUTH_MISSING',
  BRAND_NOT_FOUND: 'REFERENCE_NOT_FOUND',
  INSUFFICIENT_PERMISSIONS: 'SCOPE_INSUFFICIENT',
}

/** 3.1 names formats by the options of products where 3.0 has ids. Everything else that its requests have otherwise is added. */
const REQUESTS: LineConverter['requests'] = {
  create_media_buy: (request, context) => packagesIn(request, 'packages', context),
  update_media_buy: (request, context) => packagesIn(packagesIn(request, 'packages', context), 'new_packages', context),
  sync_creatives: (request, context) => entries(request, 'creatives', (each) => withFormatId(each, context)),
  build_creative: (request, context) => manifestIn(request, 'creative_manifest', context),
  get_creative_features: (request, context) => manifestIn(request, 'creative_manifest', context),
  preview_creative: (request, context) =>
    entries(manifestIn(request, 'creative_manifest', context), 'requests', (each) =>
      manifestIn(each, 'creative_manifest', context),
    ),
}

/** The step between AdCP 3.0 and 3.1. */
export const RELEASE_3_1: LineConverter = {
  requests: REQUESTS,
  answers: { ...ANSWERS, get_task_status: withResult(ANSWERS) },
  codes: CODES,
  taskCodes: { activate_signal: { GOVERNANCE_DENIED: 'PERMISSION_DENIED' } },
}
