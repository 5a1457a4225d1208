import { ADMIN_ROLES } from '../../domain/identity/admin-role.ts'
import { invitePerson, listInvitations, removeInvitation } from '../../operator/people/invite-person.ts'
import { listPeople, removePerson, setRole } from '../../operator/people/manage-people.ts'
import { moment, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { act, badge, choice, csrfField, heading, table } from '../parts/parts.ts'
import {
  ADMINISTRATORS,
  type Answer,
  CONSOLE,
  type ConsoleRoute,
  page,
  READERS,
  redirect,
  type TenantCall,
  tenantRoute,
} from '../route.ts'

/** The publisher's people and their roles. */
export const peopleRoutes: readonly ConsoleRoute[] = [
  tenantRoute('GET', '/people', READERS, (call) => peoplePage(call)),
  tenantRoute('POST', '/people/invite', ADMINISTRATORS, invite),
  tenantRoute('POST', '/people/invitations/{id}/remove', ADMINISTRATORS, takeBack),
  tenantRoute('POST', '/people/{username}/role', ADMINISTRATORS, changeRole),
  tenantRoute('POST', '/people/{username}/remove', ADMINISTRATORS, remove),
]

const OPTIONS = ADMIN_ROLES.map((role) => [role, words(role)] as const)

/** `link`: of an invitation that was just made; no other page shows it. */
async function peoplePage(call: TenantCall, link?: string): Promise<Answer> {
  const { operator, tenantId, base, role, person } = call
  const isAdministrator = role === 'administrator'
  const people = (await listPeople(operator, tenantId)).map((each) => {
    const path = `${base}/people/${encodeURIComponent(each.username)}`
    const mayChange = isAdministrator && !each.everywhere && each.username !== person.username
    return [
      html`${each.name}<small>${each.username}</small>`,
      html`${words(each.role)}${each.everywhere && html` ${badge('every publisher')}`}`,
      mayChange &&
        html`<form class="filters" method="post" action="${path}/role">${csrfField(call)}${choice(`role-${each.username}`, `Role of ${each.name}`, OPTIONS, each.role, 'role')}<button>Set</button></form>`,
      mayChange && act(call, `${path}/remove`, 'Remove', { kind: 'danger', name: `Remove ${each.name}` }),
    ]
  })
  const body = html`${heading('People')}
${link !== undefined && html`<section class="notice good" role="status"><p>Send this link to your colleague by a safe way. It works once, for four days, and is shown this once.</p><p><code class="secret">${link}</code></p></section>`}
${table('People', ['Person', 'Role', '', ''], people)}
${isAdministrator && (await invitations(call))}
<section class="panel"><h2>What each role may do</h2><ul>
<li><strong>Administrator</strong>: everything, with people, keys and settings.</li>
<li><strong>Ad operations</strong>: decides on orders and creatives, pauses and cancels orders, imports products, sets the status of accounts.</li>
<li><strong>Finance</strong>: reads everything, sets the status and credit limit of accounts, records payments, closes months.</li>
<li><strong>Viewer</strong>: reads everything.</li></ul></section>`
  return page('People', body)
}

async function invitations(call: TenantCall): Promise<Html> {
  const { operator, tenantId, base } = call
  const open = (await listInvitations(operator, tenantId)).map(({ invitationId, role, expiresAt }) => [
    words(role),
    moment(expiresAt),
    act(call, `${base}/people/invitations/${invitationId}/remove`, 'Take back'),
  ])
  return html`<section class="panel narrow"><h2>Invite a person</h2><form class="filters" method="post" action="${base}/people/invite">${csrfField(call)}${choice('role', 'Role', OPTIONS, 'ad_operations')}<button class="primary">Make a link</button></form>
${open.length > 0 && table('Open invitations', ['Open invitation', 'Until', ''], open)}</section>`
}

async function invite(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, form } = call
  const { token } = await invitePerson(operator, { tenantId, role: form.get('role') ?? '' })
  return peoplePage(call, `${CONSOLE}/join/${token}`)
}

async function takeBack({ operator, tenantId, params, base }: TenantCall): Promise<Answer> {
  await removeInvitation(operator, { tenantId, invitationId: params.id ?? '' })
  return redirect(`${base}/people`, 'removed')
}

async function changeRole({ operator, tenantId, params, form, base }: TenantCall): Promise<Answer> {
  await setRole(operator, { tenantId, username: params.username ?? '', role: form.get('role') ?? '' })
  return redirect(`${base}/people`, 'changed')
}

async function remove({ operator, tenantId, params, base }: TenantCall): Promise<Answer> {
  await removePerson(operator, { tenantId, username: params.username ?? '' })
  return redirect(`${base}/people`, 'removed')
}
