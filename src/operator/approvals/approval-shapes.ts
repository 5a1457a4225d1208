import { ENTRY_KINDS } from '../../domain/approval/entry-id.ts'
import { NAMED_BUYER } from '../named-buyer.ts'
import {
  about,
  anything,
  listOf,
  mapOf,
  moment,
  named,
  type Of,
  object,
  openObject,
  optional,
  orNull,
  string,
  word,
} from '../shape.ts'

const ENTRY = {
  id: about('what deciding takes', string),
  kind: word(...ENTRY_KINDS),
  task_id: optional(string),
  task: about('the task operation that brought it', string),
  ...NAMED_BUYER,
  account: string,
  state: string,
  reason: about('why it needs a decision', string),
  since: optional(moment),
  expires_at: optional(about('when it ends undecided; creatives and accounts do not', moment)),
}

/** Something that needs a decision; further members, by its kind, say what it is about. */
export const approvalEntry = named('ApprovalEntry', openObject(ENTRY))
export type ApprovalEntry = Of<typeof approvalEntry>

/** A submitted task, decided or not, with the document that it would carry out. */
export const approvalDetails = named(
  'ApprovalDetails',
  openObject({
    ...ENTRY,
    conditions: listOf(string),
    note: optional(string),
    decided_at: optional(moment),
    document: anything,
  }),
)

/** A submitted task in a final state: decided, expired, withdrawn or failed. */
export const decision = named(
  'Decision',
  openObject({
    ...ENTRY,
    decided_at: moment,
    decided_by: about('as the audit log names who approved it; null: nobody, or it was not approved', orNull(string)),
    note: about('what the buyer was told', orNull(string)),
  }),
)
export type Decision = Of<typeof decision>

/** What a decision has come to. */
export const decided = named(
  'Decided',
  object({ task_id: string, status: string, message: optional(string), result: optional(mapOf(anything)) }),
)
export type Decided = Of<typeof decided>
