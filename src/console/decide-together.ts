import { readEntryId } from '../domain/approval/entry-id.ts'
import { decideCreatives } from '../operator/approvals/decide-creatives.ts'
import { explained } from './decide-once.ts'
import { doAct } from './do-act.ts'
import { written } from './form-text.ts'
import { html } from './html.ts'
import { heading } from './parts/parts.ts'
import { type Answer, page, redirect, type TenantCall } from './route.ts'

/**
 * Decides on the creatives of a form; `chosen` are their ids in the inbox. Those that stay as they are, are shown with the reason. `back`: path below the
 * publisher and words of the page to go back to. Throws what the act throws.
 */
export async function decideTogether(
  call: TenantCall,
  chosen: readonly string[],
  [path, words]: readonly [path: string, words: string],
): Promise<Answer> {
  const { base, form } = call
  const decision = form.get('decision') === 'reject' ? 'reject' : 'approve'
  const reason = decision === 'reject' ? written(form, 'reason') : undefined
  const { decided, refused } = await doAct(call, decideCreatives, { creatives: chosen, decision, reason })
  if (refused.length === 0) return redirect(`${base}${path}`, decision === 'reject' ? 'rejected' : 'approved')
  const stay: string[] = []
  for (const { approval, ...refusal } of refused)
    stay.push(`${creativeOf(approval)}: ${await explained(call, creativeSubjects(approval), refusal)}`)
  const back = html`<a class="button" href="${base}${path}">${words}</a>`
  const body = html`${heading(`${decided.length} of ${decided.length + refused.length} decided`, back)}
<div class="notice warn" role="alert"><p>These stay as they are:</p><ul>${stay.map((text) => html`<li>${text}</li>`)}</ul></div>`
  return page('Creatives', body, { status: 409 })
}

/** Ids by which the audit log names a creative of the inbox: decided there, or on its own page. */
export function creativeSubjects(id: string): readonly string[] {
  return [id, creativeOf(id)]
}

function creativeOf(id: string): string {
  const entry = readEntryId(id)
  return entry.kind === 'creative' ? entry.creative : id
}
