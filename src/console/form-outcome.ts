import type { Runnable } from '../operator/act.ts'
import { statusOf } from '../operator/refusal-status.ts'
import { AdcpError } from '../protocol/errors.ts'
import { actRoute } from './do-act.ts'
import { html } from './html.ts'
import type { Answer, ConsoleRoute, TenantCall } from './route.ts'
import { changeStored, type SentForm, type StoredForm } from './shown-form.ts'

type Again = (call: TenantCall, refusal: AdcpError) => Answer | Promise<Answer>

/** Answers a form: as `carryOut` does, and when that is refused, with the page again and the reason. Throws what is no refusal. */
export function orAgain(carryOut: (call: TenantCall) => Promise<Answer>, again: Again): (call: TenantCall) => Promise<Answer> {
  return async (call) => {
    try {
      return await carryOut(call)
    } catch (error) {
      if (!(error instanceof AdcpError)) throw error
      return again(call, error)
    }
  }
}

/** A page again, with a refusal above it and the status of the refusal. Throws the refusal where there is no such page. */
export function withRefusal(show: (call: TenantCall) => Promise<Answer>): Again {
  return async (call, refusal) => {
    const shown = await show(call).catch(() => Promise.reject(refusal))
    if (shown.kind !== 'page') return shown
    const rows = (refusal.issues ?? []).map(({ pointer, message }) => html`<li><code>${pointer}</code> ${message}</li>`)
    const why = rows.length > 0 ? html`<p>Nothing was saved:</p><ul>${rows}</ul>` : html`<p>${refusal.message}</p>`
    return {
      ...shown,
      status: statusOf(refusal),
      body: html`<div class="notice bad" role="alert">${why}</div>${shown.body}`,
    }
  }
}

/** Where a form that shows what is stored is sent to. */
interface StoredFormRoute extends StoredForm {
  readonly save: (call: TenantCall, sent: SentForm) => Promise<Answer>
  /** The page of the form again, with what the person wrote and why it was refused. */
  readonly again: Again
}

/** The route of a form that shows what is stored. Whatever refuses it, a colleague's change above all, shows the page again. */
export function storedFormRoute(path: string, act: Pick<Runnable, 'name' | 'roles'>, form: StoredFormRoute): ConsoleRoute {
  const carryOut = (call: TenantCall) => changeStored(call, form, form.save)
  return { ...actRoute('POST', path, act, orAgain(carryOut, form.again)), showsStored: true }
}
