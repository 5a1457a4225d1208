import type { AdminRole } from '../../domain/identity/admin-role.ts'
import { needsRole } from '../../operator/perform.ts'
import { statusOf } from '../../operator/refusal-status.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { OvertakenError } from '../decide-once.ts'
import { html } from '../html.ts'
import { heading } from '../parts/parts.ts'
import { type Answer, type Call, CONSOLE, page, type TenantCall } from '../route.ts'

/** What could not be done, in the words of the refusal. */
export function problemPage(error: AdcpError, call: Call): Answer {
  const status = statusOf(error)
  // Other refusals with this status are of a state that the page showed, or of a limit.
  const isOvertaken = error.code === 'CONFLICT' || error instanceof OvertakenError
  const title = isOvertaken ? 'Somebody was faster' : status === 404 ? 'Not found' : 'This was not done'
  const issues = (error.issues ?? []).map(({ pointer, message }) => html`<li><code>${pointer}</code> ${message}</li>`)
  const body = html`${heading(title)}
<p class="notice bad" role="alert">${error.message}</p>
${issues.length > 0 && html`<ul class="problems">${issues}</ul>`}
${isOvertaken && html`<p>It has changed since your page was loaded, so nothing was done. Load it again to see what it is now.</p>`}
<p><a href="${backOf(call)}">Go back</a></p>`
  return page(title, body, { status, retryAfter: error.retryAfter })
}

export function missingPage(status: 404 | 405): Answer {
  return page(
    'Not found',
    html`${heading('Not found')}<p>There is no such page here, or you have no role for its publisher.</p><p><a href="${CONSOLE}">To the start</a></p>`,
    { status },
  )
}

/** For a person whose role is another one. */
export function forbiddenPage({ role }: TenantCall, allowed: readonly AdminRole[]): Answer {
  const text = `${needsRole('This page', allowed, role)}. An administrator can change your role.`
  return page('Not allowed', html`${heading('Not allowed')}<p class="notice bad" role="alert">${text}</p>`, { status: 403 })
}

/** Passwords and cookies go over https alone. */
export function insecurePage(): Answer {
  const text =
    'The console needs https: set tls or publicUrl and trustedProxies in the configuration, and open its https address.'
  return page('https is needed', html`${heading('https is needed')}<p>${text}</p>`, { status: 403 })
}

/** The list that an act's path belongs to. */
function backOf({ path }: Call): string {
  return /^\/console\/t\/[^/]+\/[^/]+/.exec(path)?.[0] ?? CONSOLE
}
