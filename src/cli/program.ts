import { Command } from 'commander'
import { ConfigError } from '../config/config.ts'
import { AdcpError } from '../protocol/errors.ts'
import { StoreUnavailable } from '../store/postgres/postgres-errors.ts'
import { sqliteFault } from '../store/sqlite/sqlite-driver.ts'
import { commandsFor } from './commands.ts'

const program = new Command('sales-agent')
  .description('AdCP sales agent: products, media buys, creatives and delivery for buyer agents over MCP')
  .showHelpAfterError()
for (const command of await commandsFor(process.argv[2])) program.addCommand(command)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof AdcpError || error instanceof ConfigError || isOfTheSystem(error))) throw error
  const json = process.argv.includes('--json')
  const code = error instanceof AdcpError ? error.code : 'CONFIGURATION_ERROR'
  const message = error instanceof StoreUnavailable ? `${error.situation} (${reasonOf(error.cause)})` : error.message
  console.error(json ? JSON.stringify({ error: { code, message } }) : `error: ${message}`)
  // Whatever was half started must not keep a command alive that has failed.
  process.exit(1)
}

/** What the system says, for whoever runs the command; callers of a server are not told. Several addresses of a host fail as one error. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0])
  return cause instanceof Error ? cause.message : String(cause)
}

/** A port in use, a folder that cannot be made, a file or a database that refuses: nothing in this program to look for. */
function isOfTheSystem(error: unknown): error is Error {
  return error instanceof Error && ('syscall' in error || 'severity' in error || sqliteFault(error) !== undefined)
}
