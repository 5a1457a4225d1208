import { cpus } from 'node:os'
import { FEW, SHARED_BY } from './cases.ts'
import type { Finding, HostileReport } from './run.ts'

/** A page of results in Markdown. */
export function reportPage(report: HostileReport): string {
  const {
    seed,
    shard,
    isBuilt,
    doors,
    places,
    tried,
    cases,
    derived,
    run,
    requests,
    seconds,
    byPart,
    mostRssMb,
    aged,
    faults,
    worst,
  } = report
  const parts = Object.entries(byPart).map(([part, count]) => `${part} ${count}`)
  return `# Derived hostile inputs, measured on ${new Date().toISOString().slice(0, 10)}

${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}, SQLite, ${isBuilt ? 'the built server' : 'the source of the server, with the loader that translates it'}. \`npm run bench:hostile -- --seed ${seed}${shard ? ` --shard ${shard.part}/${shard.of}` : ''}${isBuilt ? '' : ' --source'}\`: processor time of the main thread, as Linux counts it for the thread, so that what else the machine does adds little.

- ${doors} doors (tools by release, operations, routes, pages and forms) with ${places} places for a text, list, map or number; each schema node counts once; ${tried} of these places were tried
- ${run} of ${cases} cases run${shard ? ', a part of all' : ''} (${requests} sizes measured) in ${seconds} s, ${perMinute(report)} a minute: ${parts.join(', ')}
- at most ${mostRssMb} MB of resident memory; ${aged.length} cases were above the goal in a process that had served others${aged.length === 0 ? '' : `, and took at most ${Math.max(...aged.map(({ aloneMb }) => aloneMb))} MB in one of their own`}
- **${faults.length} faults**: a turn of more than 100 ms, growth of more than six times for four times the input, an answer of 5xx, more than 700 MB, or an end of the process

${derived} cases are derived: every place with every pattern. Of a place whose values are a closed list, of sizes beyond a place's own limit, and of a name that ${SHARED_BY} doors or more read alike (\`query.done\` of pages, \`headers.user-agent\`), each seed tries ${FEW} patterns; of all others every one.

Each case is sent at its bound, on a connection of its own, and its answer looked at; its turns are those from its connection to the next. It is sent at a half and a quarter of the bound too where a turn takes 25 ms or more, half of what growth counts from. What breaks a goal is measured again three times, and the best counts.
${faults.length === 0 ? '' : `\n## Faults\n\n${tableOf(faults)}`}
## The costliest without a fault

${tableOf(worst)}`
}

/** Cases a minute, with the starts of the server. */
export function perMinute({ run, seconds }: Pick<HostileReport, 'run' | 'seconds'>): number {
  return Math.round((run * 60) / Math.max(seconds, 1))
}

function tableOf(findings: readonly Finding[]): string {
  const rows = findings.map(({ id, fault, turns, rssMb, answer }) => {
    const sizes = turns.map(({ n, longestMs }) => `${n}: ${longestMs}`).join(', ')
    const [busy] = turns.slice(-1)
    return `| ${[id, sizes, busy?.busyMs ?? '', rssMb, fault ?? answer].map(cell).join(' | ')} |`
  })
  return `| case | longest turn by size, ms | all turns, ms | MB | ${findings[0]?.fault === undefined ? 'answer' : 'fault'} |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`
}

const cell = (value: string | number) => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ')
