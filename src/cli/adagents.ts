import { existsSync, writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { diffAdagents } from '../operator/adagents/adagents-acts.ts'
import { buildAdagents } from '../operator/adagents/build-adagents.ts'
import { presentVerdict } from '../operator/adagents/present-adagents.ts'
import { validateAdagentsFile, validateServedAdagents } from '../operator/adagents/validate-adagents.ts'
import { Schemas } from '../protocol/schemas.ts'
import { addAct } from './act-command.ts'
import { EXIT_NO, EXIT_UNKNOWN } from './exit-codes.ts'
import { operateFor } from './operate.ts'
import { print } from './output.ts'
import { readImportFile } from './read-import-file.ts'
import { configOf, type StoreOptions, withAnswerOptions, withTenantOptions } from './store-options.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly out?: string
  readonly json?: boolean
}

/** `sales-agent adagents build|validate|diff`. */
export function adagentsCommand(): Command {
  const adagents = new Command('adagents')
  withTenantOptions(
    adagents.command('build').description('the file for the publisher’s own domain, from its imported properties'),
  )
    .option('--out <file>', 'file to write (default: standard output)')
    .action(buildAction)
  withAnswerOptions(
    adagents
      .command('validate <where>')
      .description(
        'check a file, an https URL, or what a domain serves; exit code 1 when it is not valid, 2 when it could not be fetched',
      ),
  ).action(validateAction)
  addAct(adagents, diffAdagents)
  return adagents
}

async function buildAction(options: Options): Promise<void> {
  const { document, verdict } = await operateFor(options, buildAdagents)
  for (const error of verdict.errors) console.error(`problem: ${error}`)
  if (!verdict.valid) process.exitCode = 1
  if (options.out === undefined) print(options.json, document, [JSON.stringify(document, null, 2)])
  else {
    writeFileSync(options.out, `${JSON.stringify(document, null, 2)}\n`)
    print(options.json, { file: options.out, valid: verdict.valid }, [`wrote ${options.out}`])
  }
}

async function validateAction(place: string, options: Options): Promise<void> {
  const judging = { schemas: new Schemas(), now: new Date() }
  const verdict = existsSync(place)
    ? await validateAdagentsFile(await readImportFile(place), judging)
    : await validateServedAdagents(configOf(options), place, judging)
  const { where, answered, valid, errors, warnings, agents, properties, pointsAt } = verdict
  if (!valid) process.exitCode = answered ? EXIT_NO : EXIT_UNKNOWN
  const judgement = valid ? 'valid' : answered ? 'not valid' : 'unknown, it could not be fetched'
  print(options.json, presentVerdict(verdict), [
    `${where}: ${judgement} (${agents} agents, ${properties} properties${pointsAt === undefined ? '' : `, points at ${pointsAt}`})`,
    ...errors.map((error) => `error: ${error}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ])
}
