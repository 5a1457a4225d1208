import { Command } from 'commander'
import { type Initialised, initialise } from '../operator/init/initialise.ts'
import { operate } from './operate.ts'
import { print } from './output.ts'
import { type StoreOptions, withAnswerOptions } from './store-options.ts'

interface InitOptions extends StoreOptions {
  readonly demo?: boolean
  readonly name?: string
  readonly domain?: string
  readonly json?: boolean
}

/** `sales-agent init`. */
export function initCommand(): Command {
  return withAnswerOptions(new Command('init'))
    .option('--demo', 'with a demo publisher, its products and signals, and a sandbox buyer')
    .option('--name <name>', 'name of the publisher, as people read it')
    .option('--domain <domain>', 'its domain, e.g. news.example')
    .action((options: InitOptions) =>
      operate(
        options,
        async (operator) => {
          const { created, result } = await initialise(operator, {
            demo: options.demo === true,
            name: options.name,
            domain: options.domain,
          })
          print(options.json, result, lines(created, result))
        },
        true,
      ),
    )
}

function lines(created: boolean, result: Initialised): readonly string[] {
  if (!created) return [`${result.store} is initialised already (tenant ${result.tenant}); nothing was changed`]
  return [
    `created ${result.store} with tenant ${result.tenant}`,
    ...(result.key === null ? [] : ['demo buyer key, shown this once:', '', `  ${result.key}`, '']),
    `serve it: sales-agent serve --data ${result.data}`,
  ]
}
