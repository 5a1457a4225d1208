import { existsSync, writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { publicOrigin } from '../config/config.ts'
import { agentKey } from '../domain/directory/agent-url.ts'
import { ownClaims } from '../domain/directory/claim.ts'
import { publisherDomain } from '../domain/directory/publisher-domain.ts'
import { adagentsJson } from '../domain/identity/documents.ts'
import { Discoverer } from '../features/directory/discover.ts'
import { fetchAdagents } from '../features/directory/fetch-adagents.ts'
import { directoryFetch } from '../features/directory/service.ts'
import { type AdagentsVerdict, judgeAdagents, judgeDomain } from '../features/registry/validate-adagents.ts'
import { chooseTenant } from '../operator/choose-tenant.ts'
import { importError, parseJson } from '../operator/imports/import-problems.ts'
import { AUTHORITATIVE_POLICY } from '../platform/net/fetch-policy.ts'
import { AdcpError } from '../protocol/errors.ts'
import { Schemas } from '../protocol/schemas.ts'
import { findTenant } from '../store/identity/principals.ts'
import { loadStoredProducts } from '../store/product/products.ts'
import { readImportFile } from './import-commands.ts'
import { print } from './output.ts'
import { withStore } from './store.ts'
import { configOf, type StoreOptions, withStoreOptions } from './store-options.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly out?: string
  readonly json?: boolean
}

/** `sales-agent adagents build|validate|diff`. */
export function adagentsCommand(): Command {
  const adagents = new Command('adagents').description(
    'the adagents.json of a publisher: make it, check one, compare with what is served',
  )
  withStoreOptions(adagents.command('build').description('the file for the publisher’s own domain, from its imported properties'))
    .option('--tenant <id>')
    .option('--out <file>', 'file to write (default: standard output)')
    .option('--json')
    .action(buildAction)
  withStoreOptions(
    adagents
      .command('validate <where>')
      .description('check a file, an https URL, or what a domain serves; exit code 1 when it is not valid'),
  )
    .option('--json')
    .action(validateAction)
  withStoreOptions(
    adagents
      .command('diff')
      .description(
        'compare what the publisher’s domain says of this agent with the imported properties; exit code 1 when they differ',
      ),
  )
    .option('--tenant <id>')
    .option('--json')
    .action(diffAction)
  return adagents
}

/** The file of a tenant, with what the official schema has against it. */
async function built(options: Options) {
  const { document, domain, agentUrl, hostedAt, properties } = await withStore(options, async (store, config) => {
    const tenantId = await chooseTenant({ store }, options.tenant)
    const tenant = await findTenant(store.read, tenantId)
    if (!tenant) throw new AdcpError('REFERENCE_NOT_FOUND', `no tenant ${tenantId}`, { field: 'tenant' })
    const stored = await loadStoredProducts(store.read, tenantId)
    const { name, domain } = stored.publisher ?? tenant
    const origin = publicOrigin(config)
    const agentUrl = `${origin}/mcp`
    const path = tenant.isPublicDefault ? '' : `/t/${tenantId}`
    return {
      document: adagentsJson({ agentUrl }, { name, domain, properties: stored.properties }),
      domain,
      agentUrl,
      hostedAt: `${origin}${path}/.well-known/adagents.json`,
      properties: stored.properties.map((property) => property.property_id),
    }
  })
  const verdict = judge(document, domain)
  return { document, domain, agentUrl, hostedAt, properties: properties.length > 0 ? properties : ['site'], verdict }
}

function judge(document: unknown, publisher?: string): AdagentsVerdict {
  const check = new Schemas().validator('adagents.json')
  return judgeAdagents(document, check, { now: Date.now(), ...(publisher !== undefined && { publisher }) })
}

async function buildAction(options: Options): Promise<void> {
  const { document, verdict } = await built(options)
  for (const error of verdict.errors) console.error(`problem: ${error}`)
  if (!verdict.valid) process.exitCode = 1
  if (options.out === undefined) print(options.json, document, [JSON.stringify(document, null, 2)])
  else {
    writeFileSync(options.out, `${JSON.stringify(document, null, 2)}\n`)
    print(options.json, { file: options.out, valid: verdict.valid }, [`wrote ${options.out}`])
  }
}

async function validateAction(where: string, options: Options): Promise<void> {
  const result = await verdictOn(where, options)
  if (!result.valid) process.exitCode = 1
  print(options.json, result, [
    `${result.where}: ${result.valid ? 'valid' : 'not valid'} (${result.authorized_agents} agents, ${result.properties} properties${result.points_at === undefined ? '' : `, points at ${result.points_at}`})`,
    ...result.errors.map((error) => `error: ${error}`),
    ...result.warnings.map((warning) => `warning: ${warning}`),
  ])
}

async function verdictOn(where: string, options: Options) {
  if (existsSync(where)) {
    const read = parseJson((await readImportFile(where)).text)
    if (!read.ok) throw importError(where, read.problems)
    return shown(where, judge(read.value))
  }
  if (/^https?:\/\//i.test(where)) {
    const outcome = await fetchAdagents(directoryFetch(configOf(options)), where, AUTHORITATIVE_POLICY)
    if (outcome.kind === 'fetched') return shown(where, judge(JSON.parse(outcome.body)))
    const reason = outcome.kind === 'unchanged' ? 'the server answered 304 to an unconditional request' : outcome.reason
    return shown(where, { valid: false, errors: [reason], warnings: [], pointsAt: undefined, agents: 0, properties: 0 })
  }
  const domain = publisherDomain(where)
  if (domain === undefined)
    throw new AdcpError('INVALID_REQUEST', `${where} is no file, no https URL and no domain`, { field: 'where' })
  const check = new Schemas().validator('adagents.json')
  const verdict = await judgeDomain(domain, { fetch: directoryFetch(configOf(options)), check, now: Date.now() })
  return shown(verdict.url, { ...verdict, pointsAt: undefined })
}

function shown(where: string, { valid, errors, warnings, agents, properties, pointsAt }: AdagentsVerdict) {
  const more = pointsAt === undefined ? {} : { points_at: pointsAt }
  return { where, valid, errors, warnings, authorized_agents: agents, properties, ...more }
}

async function diffAction(options: Options): Promise<void> {
  const { domain, agentUrl, hostedAt, properties } = await built(options)
  const discovery = await new Discoverer(directoryFetch(configOf(options))).discover(domain)
  const claims = discovery.route ? ownClaims(discovery.index, discovery.route, Date.now()) : []
  const served = claims.find((claim) => claim.agent === agentKey(agentUrl))?.propertyIds ?? []
  const missing = properties.filter((id) => !served.includes(id))
  const extra = served.filter((id) => !properties.includes(id))
  const result = {
    domain,
    agent_url: agentUrl,
    served_from: discovery.route ? discovery.url : null,
    points_here: discovery.route !== undefined && discovery.url === hostedAt,
    missing_properties: missing,
    extra_properties: extra,
    ...(discovery.route === undefined && { reason: discovery.reason }),
    same: missing.length === 0 && extra.length === 0,
  }
  if (!result.same) process.exitCode = 1
  print(options.json, result, [
    result.same ? `${domain} authorises ${agentUrl} for all imported properties` : `${domain} and the imported properties differ`,
    ...(discovery.route === undefined ? [`nothing is served: ${discovery.reason}`] : []),
    ...missing.map((id) => `- ${id}: imported, not authorised by ${domain}`),
    ...extra.map((id) => `+ ${id}: authorised by ${domain}, not imported`),
    ...(result.same ? [] : [`publish {"authoritative_location":"${hostedAt}"} to follow what is imported`]),
  ])
}
