import { Command } from 'commander'
import { addRelease } from '../operator/releases/add-release.ts'
import { adviceToAdd } from '../protocol/contract-files/missing-releases.ts'
import { AdcpError } from '../protocol/errors.ts'
import { missingLines, type PresentRelease, presentReleases } from '../protocol/present-sources.ts'
import { print, table } from './output.ts'
import { configOf, type StoreOptions, withAnswerOptions } from './store-options.ts'

interface ProtocolOptions extends StoreOptions {
  readonly json?: boolean
}

interface AddOptions extends ProtocolOptions {
  readonly sha256: string
}

/** `sales-agent protocol`: the releases of AdCP that the agent speaks, and later patches of them. */
export function protocolCommand(): Command {
  const command = new Command('protocol')
  withAnswerOptions(
    command.command('list').description('the releases that are there, with patch, source and number of tasks'),
  ).action((options: ProtocolOptions) => {
    const present = presentReleases(configOf(options).data)
    const missing = missingLines()
    print(options.json, { releases: present.map(listed), missing }, [
      ...table(['line', 'patch', 'tasks', 'place', 'source'], present.map(row)),
      ...(missing.length > 0 ? [`AdCP ${missing.join(' and ')} missing. ${adviceToAdd(missing)}`] : []),
    ])
  })
  withAnswerOptions(command.command('add').description('add a later patch of a release to the data folder: schemas only'))
    .argument('<file>', 'an official protocol bundle (.tgz) or the wheel of the Python client (.whl)')
    .requiredOption('--sha256 <hex>', 'hash that the file has to have, as published beside it', hash)
    .action(async (file: string, options: AddOptions) => {
      const patches = await addRelease({ file, sha256: options.sha256, data: configOf(options).data })
      print(options.json, { added: patches }, [
        `AdCP ${patches.join(' and ')} added; the server speaks it from its next start on`,
      ])
    })
  return command
}

function hash(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new AdcpError('INVALID_REQUEST', '--sha256 is 64 hexadecimal digits', { field: 'sha256' })
  return text
}

function listed({ source, patch, origin, tools, place }: PresentRelease) {
  return { line: source.line, patch, tools, place, source: origin }
}

function row({ source, patch, origin, tools, place }: PresentRelease): readonly string[] {
  return [source.line, patch, String(tools), place, origin]
}
