import { Command } from 'commander'
import type { TextForm } from '../domain/identity/principal.ts'
import { AdcpError } from '../protocol/errors.ts'
import {
  addPrincipal,
  listPrincipals,
  setPrincipalStatus,
  setSigningRequired,
  setTextForm,
} from '../store/identity/principals.ts'
import { asOperator } from './as-operator.ts'
import { scopesOf } from './keys.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface PrincipalOptions extends StoreOptions {
  readonly tenant?: string
  readonly name?: string
  readonly agentUrl?: string
  readonly scopes?: string
  readonly sandbox?: boolean
  readonly resume?: boolean
  readonly off?: boolean
  readonly signingRequired?: boolean
  readonly json?: boolean
}

/** `sales-agent principals add|list|suspend|require-signing`. */
export function principalsCommand(): Command {
  const principals = new Command('principals').description('buyer agents of a publisher')
  withStoreOptions(principals.command('add <id>').description('add a buyer agent'))
    .option('--tenant <id>')
    .option('--name <name>')
    .option('--agent-url <url>', 'the agent’s own address')
    .option('--scopes <list>', 'comma-separated, e.g. adcp:products,adcp:media_buys (default: all)')
    .option('--sandbox', 'simulated accounts only')
    .option('--signing-required', 'may change nothing unsigned')
    .option('--json')
    .action((id: string, options: PrincipalOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const row = await asOperator(store, { task: 'principals.add', tenant: tenantId, subject: id }).transaction((tx) =>
          addPrincipal(
            tx,
            {
              tenantId,
              principalId: id,
              name: options.name ?? id,
              agentUrl: options.agentUrl,
              sandbox: options.sandbox === true,
              scopes: scopesOf(options.scopes),
              signingRequired: options.signingRequired === true,
            },
            new Date(),
          ),
        )
        print(options.json, present(row), [
          `principal ${id} of ${tenantId}; make a key with: sales-agent keys create --tenant ${tenantId} --principal ${id}`,
        ])
      }),
    )
  withStoreOptions(principals.command('list').description('list the buyer agents'))
    .option('--tenant <id>', 'only of this publisher')
    .option('--json')
    .action((options: PrincipalOptions) =>
      withStore(options, async (store) => {
        const rows = (await listPrincipals(store.read, options.tenant)).map(present)
        print(
          options.json,
          { principals: rows },
          table(
            ['TENANT', 'PRINCIPAL', 'STATUS', 'SANDBOX', 'SCOPES', 'AGENT URL'],
            rows.map((row) => [
              row.tenant,
              row.principal,
              row.status,
              row.sandbox ? 'yes' : '',
              row.scopes.join(','),
              row.agent_url ?? '',
            ]),
          ),
        )
      }),
    )
  withStoreOptions(principals.command('suspend <id>').description('stop all keys of an agent (--resume lets them work again)'))
    .option('--tenant <id>')
    .option('--resume')
    .option('--json')
    .action((id: string, options: PrincipalOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const status = options.resume ? 'active' : 'suspended'
        await asOperator(store, {
          task: options.resume ? 'principals.resume' : 'principals.suspend',
          tenant: tenantId,
          subject: id,
        }).transaction((tx) => setPrincipalStatus(tx, tenantId, id, status))
        print(options.json, { tenant: tenantId, principal: id, status }, [`principal ${id} of ${tenantId} is ${status}`])
      }),
    )
  withStoreOptions(
    principals
      .command('require-signing <id>')
      .description('let an agent change nothing unsigned, whatever the profile (--off ends it)'),
  )
    .option('--tenant <id>')
    .option('--off')
    .option('--json')
    .action((id: string, options: PrincipalOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const required = !options.off
        await asOperator(store, { task: 'principals.require-signing', tenant: tenantId, subject: id }).transaction((tx) =>
          setSigningRequired(tx, tenantId, id, required),
        )
        print(options.json, { tenant: tenantId, principal: id, signing_required: required }, [
          `principal ${id} of ${tenantId} ${required ? 'has to sign what changes state' : 'may use any credential that its publisher accepts'}`,
        ])
      }),
    )
  withStoreOptions(
    principals
      .command('answer-text <id> <form>')
      .description(
        'what the text beside structured content over MCP is: summary (the default) or json, for clients that parse it',
      ),
  )
    .option('--tenant <id>')
    .option('--json')
    .action((id: string, form: string, options: PrincipalOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const textForm = textFormOf(form)
        await asOperator(store, { task: 'principals.answer-text', tenant: tenantId, subject: id }).transaction((tx) =>
          setTextForm(tx, tenantId, id, textForm),
        )
        print(options.json, { tenant: tenantId, principal: id, answer_text: textForm }, [
          `answers to ${id} of ${tenantId} carry ${textForm === 'json' ? 'their data as JSON text too' : 'a summary as text'}`,
        ])
      }),
    )
  return principals
}

/** Throws INVALID_REQUEST for another word. */
function textFormOf(form: string): TextForm {
  if (form === 'summary' || form === 'json') return form
  throw new AdcpError('INVALID_REQUEST', `"${form}" is no form of text; there are summary and json`, { field: 'form' })
}

function present(row: Awaited<ReturnType<typeof listPrincipals>>[number]) {
  const scopes: readonly string[] = JSON.parse(row.scopes)
  return {
    tenant: row.tenant_id,
    principal: row.principal_id,
    name: row.name,
    status: row.status,
    sandbox: row.sandbox === 1,
    scopes,
    signing_required: row.signing_required === 1,
    answer_text: row.text_form,
    agent_url: row.agent_url,
    created_at: row.created_at,
  }
}
