import { readEntryId } from '../domain/approval/entry-id.ts'
import { decideSeveral } from '../operator/approvals/decide-several.ts'
import { explained } from './decide-once.ts'
import { doAct } from './do-act.ts'
import { written } from './form-text.ts'
import { html, type Part } from './html.ts'
import { heading } from './parts/parts.ts'
import { VIEW } from './parts/several.ts'
import { type Answer, type DONE, page, redirect, type TenantCall } from './route.ts'

/** What an act on several rows of a list came to. */
interface Outcome {
  /** What the list is called. */
  readonly list: string
  /** Path of the list below the publisher. */
  readonly path: string
  readonly done: number
  /** What was done, as the list then says it. */
  readonly did: keyof typeof DONE
  readonly refused: readonly { readonly id: string; readonly code: string; readonly message: string }[]
  /** What people call a row. */
  readonly nameOf: (id: string) => Part
}

/** After an act on several rows: the list as it was shown or, where rows stay as they are, a page that names each with the reason. */
export async function answerSeveral(call: TenantCall, { list, path, done, did, refused, nameOf }: Outcome): Promise<Answer> {
  const view = new URLSearchParams(call.form.get(VIEW) ?? '')
  const shown = `${call.base}${path}${view.size > 0 ? `?${view}` : ''}`
  if (refused.length === 0) return redirect(shown, did)
  const stay: Part[] = []
  for (const { id, ...refusal } of refused)
    stay.push(html`${nameOf(id)}: ${await explained(call, creativeSubjects(id), refusal)}`)
  const back = html`<a class="button" href="${shown}">Back to the list</a>`
  const body = html`${heading(`${done} of ${done + refused.length} done`, back)}
<div class="notice warn" role="alert"><p>These stay as they are:</p><ul>${stay.map((text) => html`<li>${text}</li>`)}</ul></div>`
  return page(list, body, { status: 409 })
}

/** Decides on the chosen entries of the queue; what was approved and cannot be carried out is named too. Throws what the act throws. */
export async function decideTogether(call: TenantCall, list: string, path: string): Promise<Answer> {
  const { form } = call
  // A form that lost its word is refused by the act: nothing is approved by its lack.
  const decision = form.get('decision') ?? undefined
  const reason = decision === 'reject' ? written(form, 'reason') : undefined
  const { decided, refused } = await doAct(call, decideSeveral, { approvals: form.getAll('id'), decision, reason })
  const failed = decided.flatMap(({ approval: id, message = 'no reason is given', status }) =>
    status === 'failed'
      ? [{ id, code: 'INVALID_REQUEST', message: `it was approved, but could not be carried out: ${message}` }]
      : [],
  )
  const did = decision === 'reject' ? 'rejected' : 'approved'
  const done = decided.length - failed.length
  return answerSeveral(call, {
    list,
    path,
    done,
    did,
    refused: [...refused.map(({ approval: id, ...why }) => ({ id, ...why })), ...failed],
    nameOf: creativeOf,
  })
}

/** Ids by which the audit log names a creative of the inbox: decided there, or on its own page. */
export function creativeSubjects(id: string): readonly string[] {
  return [id, creativeOf(id)]
}

function creativeOf(id: string): string {
  const entry = readEntryId(id)
  return entry.kind === 'creative' ? entry.creative : id
}
