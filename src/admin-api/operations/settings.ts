import { buildAdagents } from '../../operator/adagents/build-adagents.ts'
import { compareAdagents } from '../../operator/adagents/compare-adagents.ts'
import { presentBuilt, presentComparison, presentVerdict } from '../../operator/adagents/present-adagents.ts'
import { judgeDocument, validateServedAdagents } from '../../operator/adagents/validate-adagents.ts'
import { readLimit } from '../../operator/amount.ts'
import { type AuditLink, exportAudit, listAuditEntries, verifyAudit } from '../../operator/audit/read-audit.ts'
import { verifyPublisher, verifySupplyPath } from '../../operator/directory/verify-publisher.ts'
import { count, flag, object, oneOf, required, text, texts, type Values } from '../../operator/fields.ts'
import { ADMINISTRATORS, READERS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { snakeMembers } from '../../operator/snake-members.ts'
import { listTenants } from '../../operator/tenants/list-tenants.ts'
import { setTenant, type TenantChange } from '../../operator/tenants/set-tenant.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type AdminOperation, operation } from '../operation.ts'

const SETTINGS = {
  name: text('name shown to people'),
  domain: text('the publisher’s domain'),
  signing_profile: oneOf(['3.0', '3.1', '3.2', 'default'], 'rules for unsigned changes'),
  verify_operators: flag('accounts need approval unless brand.json lists their operator'),
  governance_agent: flag('keep plans of buyers and decide on their spending, as their governance agent'),
  approval_above: text('buys with a larger total budget need approval, in any currency; or never'),
  billing: texts('who may be billed: operator, agent, advertiser; an empty list: all'),
  releases: texts('releases of AdCP that buyers may name, e.g. 3.0; an empty list: all'),
  time_zone: text('an IANA name such as Europe/Berlin, or default'),
  currency: text('ISO 4217, or default'),
}

export const settingsOperations: readonly AdminOperation[] = [
  operation('GET /settings', 'showSettings', {
    roles: READERS,
    summary: 'The publisher and its settings.',
    fields: {},
    async run(context, { tenantId }) {
      const found = (await listTenants(context)).find(({ tenant }) => tenant === tenantId)
      if (found) return found
      throw new AdcpError('REFERENCE_NOT_FOUND', `there is no publisher ${tenantId}`)
    },
  }),
  operation('PATCH /settings', 'setSettings', {
    roles: ADMINISTRATORS,
    summary: 'Changes the publisher, or its policy.',
    fields: SETTINGS,
    run: (context, { tenantId, values }) => setTenant(context, tenantId, tenantChange(values)),
  }),
  operation('GET /adagents', 'buildAdagents', {
    roles: READERS,
    summary: 'The adagents.json for the publisher’s own domain, and what the official schema has against it.',
    fields: {},
    run: async (context, { tenantId }) => presentBuilt(await buildAdagents(context, tenantId)),
  }),
  operation('GET /adagents/compare', 'compareAdagents', {
    roles: READERS,
    summary: 'Compares what the publisher’s domain says of this agent with the imported properties.',
    fields: {},
    run: async (context, { tenantId }) => presentComparison(await compareAdagents(context, tenantId)),
  }),
  operation('POST /adagents/validate', 'validateAdagents', {
    roles: READERS,
    summary: 'Judges an adagents.json: the one that is sent, or what an https URL or a domain serves.',
    fields: { document: object('the file'), where: text('an https URL or a domain') },
    async run({ schemas, config, clock }, { values: { document, where } }) {
      const judging = { schemas, now: clock() }
      if (document && where === undefined) return presentVerdict(judgeDocument(document, judging))
      if (where !== undefined && !document) return presentVerdict(await validateServedAdagents(config, where, judging))
      throw new AdcpError('INVALID_REQUEST', 'send one of document and where', { field: 'document' })
    },
  }),
  operation('GET /verify', 'verifyPublisher', {
    roles: READERS,
    summary:
      'Asks a publisher’s own domain whether it authorises an agent; with owner, whether the agent may sell a collection there.',
    fields: {
      domain: required(text('the publisher’s domain')),
      agent_url: required(text('the agent')),
      owner: text('domain of the owner of the collection'),
      collection: text('the collection; default: the one with the strongest path'),
    },
    async run(context, { values: { domain, agent_url: agentUrl, owner: ownerDomain, collection: collectionId } }) {
      if (ownerDomain === undefined) return list((await verifyPublisher(context, { domain, agentUrl })).map(snakeMembers))
      return verifySupplyPath(context.config, { hostDomain: domain, ownerDomain, agentUrl, collectionId })
    },
  }),
]

export const logOperations: readonly AdminOperation[] = [
  operation('GET /audit', 'listAuditEntries', {
    roles: READERS,
    summary: 'Calls that changed something or were refused, and acts of the publisher’s people, newest first.',
    fields: {
      buyer: text('of one buyer, or person:NAME'),
      task: text('one task or act'),
      outcome: text('ok, or an error code'),
      since: text('at or after this time, ISO 8601'),
      cursor: text('next_cursor of the page before'),
      limit: count('entries of a page, 1 to 500; default 50'),
    },
    async run(context, { tenantId, values: { buyer: principal, cursor, limit = 50, ...asked } }) {
      const size = Math.min(Math.max(limit, 1), 500)
      const before = numberOf(cursor)
      const entries = await listAuditEntries(context, tenantId, { principal, before, limit: size, ...asked })
      const last = entries.length === size ? entries.at(-1) : undefined
      return list(entries, last ? String(last.seq) : null)
    },
  }),
  operation('GET /audit/export', 'exportAudit', {
    roles: ADMINISTRATORS,
    summary: 'Links of the chain in their order, with the hashes that hold it together; at most 10,000.',
    fields: { cursor: text('next_cursor of the page before') },
    async run(context, { tenantId, values: { cursor } }) {
      const links: AuditLink[] = []
      for await (const link of exportAudit(context, tenantId, numberOf(cursor))) {
        if (links.length === MOST_LINKS) return list(links, String(links.at(-1)?.number))
        links.push(link)
      }
      return list(links)
    },
  }),
  operation('GET /audit/verify', 'verifyAudit', {
    roles: READERS,
    summary: 'Follows the chain of the publisher from its start.',
    fields: {},
    run: (context, { tenantId }) => verifyAudit(context, { tenantId }),
  }),
]

const MOST_LINKS = 10_000

/** The number of an entry that a cursor of the log is. */
function numberOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor)
  throw new AdcpError('INVALID_REQUEST', 'cursor is none of this list', { field: 'cursor' })
}

/** The change of a publisher that members stand for. */
function tenantChange(values: Values<typeof SETTINGS>): TenantChange {
  const { name, domain, currency, billing, releases } = values
  return {
    ...(name !== undefined && { name }),
    ...(domain !== undefined && { domain }),
    ...(values.signing_profile !== undefined && { signingProfile: values.signing_profile }),
    ...(values.verify_operators !== undefined && { verifyOperators: values.verify_operators }),
    ...(values.governance_agent !== undefined && { governanceAgent: values.governance_agent }),
    ...(values.approval_above !== undefined && {
      approvalAboveMicros: readLimit(values.approval_above, 'approval_above', 'never'),
    }),
    ...(billing && { billing: billing.length === 0 ? ('all' as const) : billing }),
    ...(releases && { releases: releases.length === 0 ? ('all' as const) : releases }),
    ...(values.time_zone !== undefined && { timeZone: values.time_zone }),
    ...(currency !== undefined && { currency }),
  }
}
