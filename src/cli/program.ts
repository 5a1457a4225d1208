import { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { AdcpError } from '../errors.ts'
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
  console.error(json ? JSON.stringify({ error: { code, message: error.message } }) : `error: ${error.message}`)
  // Whatever was half started must not keep a command alive that has failed.
  process.exit(1)
}

/** A port in use, a folder that cannot be made, a file or a database that refuses: nothing in this program to look for. */
function isOfTheSystem(error: unknown): error is Error {
  return error instanceof Error && ('syscall' in error || 'severity' in error || error.name === 'SqliteError')
}
