import { OPEN_PATH } from '../../operator/notifications/decision-links.ts'
import { html } from '../html.ts'
import { heading } from '../parts/parts.ts'
import { type Answer, CONSOLE, type ConsoleRoute, type PersonCall, page, redirect } from '../route.ts'

/** Where the links of mails and chat messages lead: to the page of a decision, after the sign-in. The page asks for the role as ever. */
export const decisionLinkRoutes: readonly ConsoleRoute[] = [
  { method: 'GET', path: `${OPEN_PATH}/{link}`, access: 'signed-in', answer: openLink },
]

async function openLink({ operator, params }: PersonCall): Promise<Answer> {
  const link = (await operator.services.decisionLinks()).read(params.link ?? '')
  if (link === undefined) return refused(404, 'This link is not one of this server. Open the page from the console instead.')
  if (link.expiresAt <= operator.clock().getTime())
    return refused(410, 'This link has expired. If the decision is still open, the inbox has it.')
  return redirect(`${CONSOLE}${link.path}`)
}

function refused(status: number, text: string): Answer {
  const title = status === 410 ? 'The link has expired' : 'Not found'
  const body = html`${heading(title)}<p class="notice warn" role="alert">${text}</p><p><a href="${CONSOLE}">To the start</a></p>`
  return page(title, body, { status })
}
