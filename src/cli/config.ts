import { Command } from 'commander'
import { ConfigError } from '../config/config-error.ts'
import { loadConfig } from '../config/load-config.ts'
import { redactedConfig } from '../config/redacted-config.ts'
import { Schemas } from '../protocol/schemas.ts'
import { print } from './output.ts'

/** `sales-agent config check FILE`: every problem with its line; exit code 1 when there is one. */
export function configCommand(): Command {
  const config = new Command('config')
  config
    .command('check <file>')
    .description('validate a configuration file (YAML or JSON)')
    .option('--json')
    .action((file: string, options: { json?: boolean }) => {
      try {
        // The file alone: what this shell's environment would add says nothing about the file.
        const loaded = loadConfig(new Schemas(), { file, environment: {} })
        print(options.json, { ok: true, config: redactedConfig(loaded) }, [`${file} is fine`])
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        print(options.json, { ok: false, problems: error.problems }, [error.message])
        process.exitCode = 1
      }
    })
  return config
}
