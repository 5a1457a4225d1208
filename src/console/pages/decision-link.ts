import { OPEN_PATH } from '../../operator/notifications/decision-links.ts'
import { html } from '../html.ts'
import { heading } from '../parts/parts.ts'
import { type Answer, CONSOLE, type ConsoleRoute, type PersonCall, page, redirect } from '../route.ts'

/** Where the links of mails and chat messages lead: to the page of a decision, after the sign-in. The page asks for the role as ever. */
export const decisionLinkRoutes: readonly ConsoleRoute[] = [
  { method: 'GET', path: `${OPEN_PATH}/{link}`, access: 'signed-in', answer: openLink },
]

/** Somebody without a role at the publisher of a link learns as much as from a link that was never made: its page names publisher and decision. */
async function openLink({ operator, params, person, tenants }: PersonCall): Promise<Answer> {
  const link = (await operator.services.decisionLinks()).read(params.link ?? '')
  const [, tenantId] = /^\/t\/([^/?]+)/.exec(link?.path ?? '') ?? []
  if (link === undefined || !tenants.some(({ tenant }) => tenant === tenantId))
    return refused(
      404,
      `There is nothing to decide here for ${person.username}. Sign in as the person that the message was sent to, or open the page from the console.`,
    )
  if (link.expiresAt <= operator.clock().getTime())
    return refused(410, 'This link has expired. If the decision is still open, the inbox has it.')
  return redirect(`${CONSOLE}${link.path}`)
}

function refused(status: number, text: string): Answer {
  const title = status === 410 ? 'The link has expired' : 'Not found'
  const body = html`${heading(title)}<p class="notice warn" role="alert">${text}</p><p><a href="${CONSOLE}">To the start</a></p>`
  return page(title, body, { status })
}
