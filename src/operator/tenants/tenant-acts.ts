import { ADMIN_ROLES } from '../../domain/identity/admin-role.ts'
import { LIFECYCLES } from '../../domain/identity/lifecycle.ts'
import { BILLING_PARTIES, SIGNING_PROFILES } from '../../domain/identity/principal.ts'
import { MOST_HOLD_HOURS } from '../../domain/proposal/hold-policy.ts'
import { RELEASES } from '../../protocol/releases.ts'
import { defineAct } from '../act.ts'
import { readLimit } from '../amount.ts'
import { billingParties } from '../billing-parties.ts'
import { chooseTenant } from '../choose-tenant.ts'
import { between, count, flag, oneOf, someOf, text, type Values } from '../fields.ts'
import { requirePublisher } from '../require-publisher.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { list, object, pageOf, string } from '../shape.ts'
import { inForm, type TextForm } from '../text-form.ts'
import { listTenants } from './list-tenants.ts'
import {
  PUBLISHER,
  PUBLISHER_DOMAIN,
  PUBLISHER_NAME,
  presentTenant,
  settingLines,
  settingsShape,
  tenantShape,
} from './present-tenant.ts'
import { changeTenant, type TenantChange } from './set-tenant.ts'

// Several acts in one file: the same act for a publisher, for the deployment, or for one buyer.

const OF_DEPLOYMENT = { roles: ADMINISTRATORS, scope: 'deployment' } as const

const CURRENCY: TextForm = {
  pattern: '^(?:[A-Z]{3}|default)$',
  words: 'an ISO 4217 code such as EUR, or default',
  clean: (text) => (text.toLowerCase() === 'default' ? 'default' : text.toUpperCase()),
}

const SETTINGS = {
  name: PUBLISHER_NAME,
  domain: PUBLISHER_DOMAIN,
  signing_profile: oneOf([...SIGNING_PROFILES, 'default'], 'rules for unsigned changes; default: those of the deployment'),
  verify_operators: flag('accounts need approval unless brand.json lists their operator'),
  governance_agent: flag('keep plans of buyers and decide on their spending, as their governance agent'),
  approval_above: text(
    'a buy needs approval with a larger total budget in the currency of the publisher, or in another currency; or never',
  ),
  billing: billingParties(`who may be billed: ${BILLING_PARTIES.join(', ')}; all, or an empty list: each of them`),
  releases: someOf(
    [...RELEASES.map(({ line }) => line), 'all'],
    'releases of AdCP that buyers may name, e.g. 3.0,3.1; all, or an empty list: each of them',
  ),
  time_zone: text(
    'of its days, months and dayparts: an IANA name such as Europe/Berlin, or default; it stays once a month is closed',
  ),
  hold_hours: between(1, MOST_HOLD_HOURS, count(`hours that a finalized proposal holds inventory, at most ${MOST_HOLD_HOURS}`)),
  hold_share: between(
    0,
    100,
    count('per cent of what a product has on a day that one buyer may hold by proposals; 0: nothing is held'),
  ),
  lifecycle: oneOf(
    LIFECYCLES,
    'tools for buying that are listed: compact (those of AdCP 3.2), established (those before), or both',
  ),
  currency: inForm(CURRENCY, text('what it plans and closes months in')),
  second_factor: someOf(
    [...ADMIN_ROLES, 'none'],
    'roles whose people sign in to the console with a second factor, beside those of the deployment; none, or an empty list: no further ones',
  ),
  second_factor_at_provider: flag('these roles need it after a sign-in at the identity provider too'),
}

export const showSettings = defineAct({
  name: 'settings.show',
  route: 'GET /settings',
  id: 'showSettings',
  roles: READERS,
  summary: 'The publisher and its settings.',
  fields: {},
  answer: tenantShape,
  run: async ({ store, tenantId }) => presentTenant(await requirePublisher(store.read, tenantId)),
})

/** Throws as {@link changeTenant} does. */
export const setSettings = defineAct({
  name: 'settings.set',
  route: 'PATCH /settings',
  id: 'setSettings',
  roles: ADMINISTRATORS,
  summary: 'Changes the publisher, or its policy.',
  fields: SETTINGS,
  answer: settingsShape,
  run: (context, values) => changeTenant(context, context.tenantId, changeOf(values)),
})

export const listPublishers = defineAct({
  ...OF_DEPLOYMENT,
  name: 'tenants.list',
  route: 'GET /deployment/publishers',
  id: 'listPublishers',
  summary: 'The publishers of this deployment.',
  fields: {},
  answer: pageOf(tenantShape),
  command: {
    help: 'list the publishers',
    columns: [
      ['TENANT', ({ tenant }) => tenant],
      ['NAME', ({ name }) => name],
      ['DOMAIN', ({ domain }) => domain],
      ['PUBLIC DEFAULT', (each) => (each.public_default ? 'yes' : '')],
    ],
  },
  run: async (context) => list(await listTenants(context)),
})

/** Throws as {@link changeTenant} does, and INVALID_REQUEST for an unknown publisher. */
export const setPublisher = defineAct({
  ...OF_DEPLOYMENT,
  name: 'tenants.set',
  route: 'PATCH /deployment/publishers/{publisher}',
  id: 'setPublisher',
  publisher: 'publisher',
  summary: 'Changes a publisher, or its policy.',
  fields: {
    publisher: PUBLISHER,
    ...SETTINGS,
    public: flag('answer calls that name no publisher'),
  },
  answer: object({ tenant: string, settings: settingsShape }),
  command: {
    onOff: ['verify_operators', 'governance_agent', 'second_factor_at_provider'],
    text: ({ tenant, settings }) => settingLines(tenant, settings),
  },
  async run(context, { publisher, public: isPublic, ...values }) {
    const tenant = await chooseTenant(context, publisher)
    // The same as what the publisher's own administrators do: one name in its log.
    context.noteName(setSettings.name)
    const change = { ...changeOf(values), ...(isPublic && { isPublicDefault: true as const }) }
    return { tenant, settings: await changeTenant(context, tenant, change) }
  },
})

export const setPublicPublisher = defineAct({
  ...OF_DEPLOYMENT,
  name: 'tenants.set-public',
  route: 'PUT /deployment/public-publisher',
  id: 'setPublicPublisher',
  publisher: 'publisher',
  summary: 'Sets which publisher answers calls that name none.',
  fields: { publisher: PUBLISHER },
  answer: settingsShape,
  run: (context, { publisher }) => changeTenant(context, publisher, { isPublicDefault: true }),
})

/** The change of a publisher that members stand for. */
function changeOf(values: Values<typeof SETTINGS>): TenantChange {
  const { name, domain, currency, billing, releases, approval_above: above } = values
  return {
    ...(name !== undefined && { name }),
    ...(domain !== undefined && { domain }),
    ...(values.signing_profile !== undefined && { signingProfile: values.signing_profile }),
    ...(values.verify_operators !== undefined && { verifyOperators: values.verify_operators }),
    ...(values.governance_agent !== undefined && { governanceAgent: values.governance_agent }),
    ...(above !== undefined && { approvalAboveMicros: readLimit(above, 'approval_above', 'never') }),
    ...(billing && { billing: allOr(billing) }),
    ...(releases && { releases: allOr(releases) }),
    ...(values.time_zone !== undefined && { timeZone: values.time_zone }),
    ...(values.hold_hours !== undefined && { holdHours: values.hold_hours }),
    ...(values.hold_share !== undefined && { holdShare: values.hold_share }),
    ...(values.lifecycle !== undefined && { lifecycle: values.lifecycle }),
    ...(currency !== undefined && { currency }),
    ...(values.second_factor && { secondFactor: ADMIN_ROLES.filter((role) => values.second_factor?.includes(role)) }),
    ...(values.second_factor_at_provider !== undefined && { secondFactorAtProvider: values.second_factor_at_provider }),
  }
}

function allOr(named: readonly string[]): readonly string[] | 'all' {
  return named.length === 0 || named.includes('all') ? 'all' : named
}
