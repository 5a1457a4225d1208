import { Command } from 'commander'
import { explainFailure } from '../operator/explain-failure.ts'
import { VERSION } from '../platform/version.ts'
import { commandsFor } from './commands.ts'
import { commandOf, withOption } from './name-option.ts'
import { reportUsage } from './report-usage.ts'

// A reader such as `head` that has seen enough ends the command, quietly.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
  if (process.stdout.listenerCount('error') === 1) throw error
})

const program = new Command('sales-agent').description(
  'AdCP sales agent: products, media buys, creatives and delivery for buyer agents over MCP',
)
program.version(VERSION, '--version', 'print the version of this program')
const [first, second] = process.argv.slice(2)
for (const command of await commandsFor(first === 'help' ? second : first)) program.addCommand(command)
reportUsage(program, process.argv.includes('--json'))

try {
  await program.parseAsync()
} catch (error) {
  const failure = explainFailure(error)
  if (failure === undefined) throw error
  const text = () => `error: ${withOption(commandOf(program, process.argv.slice(2)), failure)}`
  console.error(process.argv.includes('--json') ? JSON.stringify({ error: failure }) : text())
  // What was started in part must not keep a command alive that has failed.
  process.exit(1)
}
