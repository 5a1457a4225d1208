import { groupBy } from '../../domain/group-by.ts'
import { ADMIN_ROLES, type AdminRole } from '../../domain/identity/admin-role.ts'
import { ACTS } from '../../operator/acts.ts'
import { closedReads } from '../../operator/closed-reads.ts'
import { INVITATION_TEXT, invitePerson, listInvitations, removeInvitation } from '../../operator/people/invite-person.ts'
import { listPeople, removePerson, setRole } from '../../operator/people/manage-people.ts'
import { listPeopleFactors, resetAnyFactors, resetPersonFactors } from '../../operator/people/reset-factors.ts'
import type { Of } from '../../operator/shape.ts'
import { actRoute, carriedOut, doAct, makeOnce, may } from '../do-act.ts'
import { storedFormRoute, withRefusal } from '../form-outcome.ts'
import { moment, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { act, badge, choice, csrfField, heading, onceField, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, sentTo, shownField } from '../shown-form.ts'

const LABELS: ReadonlyMap<string, string> = new Map([['role', 'The role']])

/** The publisher's people and their roles. */
export const peopleRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/people', listPeople, (call) => peoplePage(call)),
  actRoute('POST', '/people/invite', invitePerson, invite),
  actRoute('POST', '/people/invitations/{id}/remove', removeInvitation, takeBack),
  storedFormRoute('/people/{username}/role', setRole, {
    labels: LABELS,
    read: readRole,
    save: changeRole,
    again: withRefusal((call) => peoplePage(call)),
  }),
  actRoute('POST', '/people/{username}/remove', removePerson, remove),
  actRoute('POST', '/people/{username}/reset-factors', resetPersonFactors, resetFactors),
]

const OPTIONS = ADMIN_ROLES.map((role) => [role, words(role)] as const)

/** `link`: of an invitation that was just made; no other page shows it. */
async function peoplePage(call: TenantCall, link?: string): Promise<Answer> {
  const { base, person } = call
  const factors = may(call, listPeopleFactors) ? (await doAct(call, listPeopleFactors, {})).items : []
  const factorsOf = new Map(factors.map((each) => [each.username, each]))
  const people = (await doAct(call, listPeople, {})).items.map((each) => {
    const path = `${base}/people/${encodeURIComponent(each.username)}`
    const isOther = !each.everywhere && each.username !== person.username
    return [
      html`${each.name}<small>${each.username}</small>`,
      html`${words(each.role)}${each.everywhere && html` ${badge('every publisher')}`}`,
      ...(factors.length > 0 ? [factorCell(call, each.name, factorsOf.get(each.username))] : []),
      isOther &&
        may(call, setRole) &&
        html`<form class="filters" method="post" action="${path}/role">${csrfField(call)}${shownField({ role: each.role })}${choice(`role-${each.username}`, `Role of ${each.name}`, OPTIONS, filledForm(sentTo(call, `${path}/role`), { role: each.role }).get('role') ?? '', 'role')}<button>Set</button></form>`,
      isOther &&
        may(call, removePerson) &&
        act(call, `${path}/remove`, 'Remove', { kind: 'danger', name: `Remove ${each.name}` }),
    ]
  })
  const body = html`${heading('People')}
${link !== undefined && html`<section class="notice good" role="status"><p>Send this link to your colleague by a safe way. It works once, for ${INVITATION_TEXT}, and is shown this once.</p><p><code class="secret">${link}</code></p></section>`}
${table('People', ['Person', 'Role', ...(factors.length > 0 ? ['Second factor'] : []), '', ''], people)}
${may(call, invitePerson) && (await invitations(call))}
<section class="panel"><h2>What each role may do</h2><ul>${ADMIN_ROLES.toReversed().map((role) => html`<li><strong>${words(role)}</strong>: ${roleText(role)}</li>`)}</ul></section>`
  return page('People', body)
}

type Factors = Of<typeof listPeopleFactors.answer>['items'][number]

/** What a person signs in with beside the password, and for who may the button that takes it away: of somebody who has lost it. */
function factorCell(call: TenantCall, name: string, factors: Factors | undefined): Html {
  if (!factors) return html`none`
  const { username, authenticator_app: app, passkeys, needed } = factors
  const parts = [app ? 'authenticator app' : [], passkeys > 0 ? `${passkeys} passkey${passkeys === 1 ? '' : 's'}` : []].flat()
  if (parts.length === 0) return needed ? badge('none yet, and needed', 'warn') : html`none`
  const path = `${call.base}/people/${encodeURIComponent(username)}/reset-factors`
  const mayReset = username !== call.person.username && may(call, resetOf(factors))
  return html`${parts.join(', ')} ${mayReset && act(call, path, 'Remove factors', { kind: 'danger', name: `Remove factors of ${name}` })}`
}

/** The act that removes the factors of a person: for who works elsewhere too, that of the deployment. */
function resetOf(factors: Pick<Factors, 'elsewhere'> | undefined) {
  return factors?.elsewhere ? resetAnyFactors : resetPersonFactors
}

/** The acts of a role by their areas, which are the first words of its commands. */
function roleText(role: AdminRole): Html {
  const own = ACTS.filter(({ scope, roles }) => scope === 'publisher' && roles.includes(role) && !roles.includes('viewer'))
  const areas = [...groupBy(own, ({ name }) => name.split('.', 1)[0] ?? '')].map(
    ([area, acts]) =>
      html`<li>${words(area)}: ${acts.map(({ name }) => words(name.slice(area.length + 1)).toLowerCase()).join(', ')}</li>`,
  )
  const closed = closedReads(role).map(({ name }) => words(name.replace('.', ' ')).toLowerCase())
  const reads = `reads everything but secrets${closed.length > 0 ? ` and this: ${closed.join(', ')}` : ''}`
  if (areas.length === 0) return html`${reads}.`
  return html`${reads}; may do this:<details><summary>${own.length} acts</summary><ul>${areas}</ul></details>`
}

async function invitations(call: TenantCall): Promise<Html> {
  const { base } = call
  const open = (await doAct(call, listInvitations, {})).items.map(({ invitation_id: id, role, expires_at: end }) => [
    words(role),
    moment(end),
    may(call, removeInvitation) && act(call, `${base}/people/invitations/${id}/remove`, 'Take back'),
  ])
  return html`<section class="panel narrow"><h2>Invite a person</h2><form class="filters" method="post" action="${base}/people/invite">${csrfField(call)}${onceField(call)}${choice('role', 'Role', OPTIONS, 'ad_operations')}<button class="primary">Make a link</button></form>
${open.length > 0 && table('Open invitations', ['Open invitation', 'Until', ''], open)}</section>`
}

async function invite(call: TenantCall): Promise<Answer> {
  const { link } = await makeOnce(call, invitePerson, { role: call.form.get('role') ?? '' })
  return peoplePage(carriedOut(call), link)
}

async function takeBack(call: TenantCall): Promise<Answer> {
  await doAct(call, removeInvitation, { invitation: call.params.id })
  return redirect(`${call.base}/people`, 'removed')
}

/** The role of the person; of somebody without one here, nothing. */
async function readRole(call: TenantCall): Promise<Inputs> {
  const found = (await doAct(call, listPeople, {})).items.find(({ username }) => username === call.params.username)
  return found ? { role: found.role } : {}
}

async function changeRole(call: TenantCall, { filled }: SentForm): Promise<Answer> {
  await doAct(call, setRole, { username: call.params.username, role: filled.get('role') ?? '' })
  return redirect(`${call.base}/people`, 'changed')
}

async function remove(call: TenantCall): Promise<Answer> {
  await doAct(call, removePerson, { username: call.params.username })
  return redirect(`${call.base}/people`, 'removed')
}

async function resetFactors(call: TenantCall): Promise<Answer> {
  const { username } = call.params
  const { items } = await doAct(call, listPeopleFactors, {})
  const found = items.find((each) => each.username === username)
  await doAct(call, resetOf(found), { username })
  return redirect(`${call.base}/people`, 'removed')
}
