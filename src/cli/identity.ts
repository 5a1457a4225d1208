import { Command } from 'commander'
import { showIdentity } from '../operator/identity/show-identity.ts'
import { ensureSigningKeys, type KeyRotation, rotateSigningKeys } from '../operator/identity/signing-keys.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { snakeMembers } from '../operator/snake-members.ts'
import { operate } from './operate.ts'
import { print, printList, table } from './output.ts'
import { type StoreOptions, withStoreOptions } from './store-options.ts'

interface IdentityOptions extends StoreOptions {
  readonly compromised?: boolean
  readonly json?: boolean
}

/** `sales-agent identity init|show|rotate`: the seller's own keys and the documents in which others find them. */
export function identityCommand(): Command {
  const identity = new Command('identity')
  withStoreOptions(identity.command('init').description('make the keys that are missing, and say what to publish where'))
    .option('--json')
    .action((options: IdentityOptions) =>
      operate(options, async (operator) => {
        await ensureSigningKeys(operator)
        await show(operator, options.json)
      }),
    )
  withStoreOptions(identity.command('show').description('show keys and documents; exit code 1 when a document breaks its schema'))
    .option('--json')
    .action((options: IdentityOptions) =>
      operate(options, async (operator) => {
        if (!(await show(operator, options.json))) process.exitCode = 1
      }),
    )
  withStoreOptions(
    identity
      .command('rotate')
      .description('announce new keys; run again half an hour later, let them sign and retire the old ones'),
  )
    .option('--compromised', 'replace every key at once: receivers refuse us until they fetch the new ones')
    .option('--json')
    .action((options: IdentityOptions) =>
      operate(options, async (operator) => {
        const done = await rotateSigningKeys(operator, { compromised: options.compromised === true })
        printList(options.json, done.map(snakeMembers), done.map(describe))
      }),
    )
  return identity
}

/** Prints everything; gives whether the documents can be published. */
async function show(operator: OperatorContext, json: boolean | undefined): Promise<boolean> {
  const documents = await showIdentity(operator)
  print(json, documents, [
    ...table(
      ['KEY', 'PURPOSE', 'STATE', 'CREATED'],
      documents.keys.map((key) => [key.kid, key.purpose, key.state, key.created_at]),
    ),
    '',
    `agent URL   ${documents.agent_url}`,
    `public keys ${documents.jwks_uri}`,
    `brand.json  ${documents.brand_json.url}; for a brand.json of your own, put this into its agents[]:`,
    `  ${JSON.stringify(documents.brand_json.agents_entry)}`,
    ...documents.adagents.flatMap(({ domain, url }) => [
      `adagents    https://${domain}/.well-known/adagents.json has to authorise the agent; it may say no more than:`,
      `  ${JSON.stringify({ authoritative_location: url })}`,
    ]),
    ...documents.problems.map((problem) => `problem: ${problem}`),
  ])
  return documents.problems.length === 0
}

function describe(rotation: KeyRotation): string {
  const { purpose, kid } = rotation
  if (rotation.step === 'switched') return `${purpose}: ${kid} signs now; retired: ${rotation.retired.join(', ') || 'none'}`
  const ready = `run this again after ${rotation.readyAt.toISOString()}`
  return rotation.step === 'announced' ? `${purpose}: ${kid} is published; ${ready}` : `${purpose}: ${kid} waits; ${ready}`
}
