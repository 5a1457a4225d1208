import { Command } from 'commander'
import { BILLING_PARTIES } from '../operator/billing-parties.ts'
import { addPrincipal } from '../operator/principals/add-principal.ts'
import { requireSigning, setAnswerText, setBilling, setStatus } from '../operator/principals/change-principal.ts'
import { listPrincipals } from '../operator/principals/list-principals.ts'
import { operate, operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface PrincipalOptions extends TenantOption {
  readonly name?: string
  readonly agentUrl?: string
  readonly scopes?: string
  readonly sandbox?: boolean
  readonly resume?: boolean
  readonly off?: boolean
  readonly signingRequired?: boolean
  readonly json?: boolean
}

/** `sales-agent principals add|list|suspend|require-signing|answer-text|billing`. */
export function principalsCommand(): Command {
  const principals = new Command('principals')
  withStoreOptions(principals.command('add <id>').description('add a buyer agent'))
    .option('--tenant <id>')
    .option('--name <name>', 'name shown to people (default: the id)')
    .option('--agent-url <url>', 'the agent’s own address')
    .option('--scopes <list>', 'comma-separated, e.g. adcp:products,adcp:media_buys (default: all)')
    .option('--sandbox', 'simulated accounts only')
    .option('--signing-required', 'may change nothing unsigned')
    .option('--json')
    .action((id: string, options: PrincipalOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { name, agentUrl, scopes } = options
        const flags = { sandbox: options.sandbox === true, signingRequired: options.signingRequired === true }
        const added = await addPrincipal(operator, { tenantId, principalId: id, name, agentUrl, scopes, ...flags })
        print(options.json, added, [
          `principal ${id} of ${tenantId}; make a key with: sales-agent keys create --tenant ${tenantId} --principal ${id}`,
        ])
      }),
    )
  withStoreOptions(principals.command('list').description('list the buyer agents'))
    .option('--tenant <id>', 'only of this publisher')
    .option('--json')
    .action((options: PrincipalOptions) =>
      operate(options, async (operator) => {
        const rows = await listPrincipals(operator, options.tenant)
        printList(
          options.json,
          rows,
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
    .option('--resume', 'let them work again')
    .option('--json')
    .action((id: string, options: PrincipalOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const status = options.resume ? 'active' : 'suspended'
        await setStatus(operator, { tenantId, principalId: id, status })
        print(options.json, { tenant: tenantId, principal: id, status }, [`principal ${id} of ${tenantId} is ${status}`])
      }),
    )
  withStoreOptions(
    principals
      .command('require-signing <id>')
      .description('let an agent change nothing unsigned, whatever the profile (--off ends it)'),
  )
    .option('--tenant <id>')
    .option('--off', 'unsigned changes are taken again, as the profile says')
    .option('--json')
    .action((id: string, options: PrincipalOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const required = !options.off
        await requireSigning(operator, { tenantId, principalId: id, required })
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
      operateFor(options, async (operator, tenantId) => {
        const textForm = await setAnswerText(operator, { tenantId, principalId: id, form })
        print(options.json, { tenant: tenantId, principal: id, answer_text: textForm }, [
          `answers to ${id} of ${tenantId} carry ${textForm === 'json' ? 'their data as JSON text too' : 'a summary as text'}`,
        ])
      }),
    )
  withStoreOptions(
    principals
      .command('billing <id> <parties>')
      .description(
        `whom the accounts of an agent may name as billed: ${BILLING_PARTIES.join(', ')}; or all that its publisher accepts`,
      ),
  )
    .option('--tenant <id>')
    .option('--json')
    .action((id: string, named: string, options: PrincipalOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const billing = named === 'all' ? named : named.split(',').map((party) => party.trim())
        const parties = await setBilling(operator, { tenantId, principalId: id, billing })
        print(options.json, { tenant: tenantId, principal: id, billing: parties ?? 'all' }, [
          `accounts of ${id} of ${tenantId} may be billed to: ${parties?.join(', ') ?? 'everybody whom the publisher accepts'}`,
        ])
      }),
    )
  return principals
}
