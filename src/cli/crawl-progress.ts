import type { CrawlProgress } from '../features/directory/crawler.ts'
import { type DuePublisher, describeWait } from '../operator/directory/describe-leases.ts'

/** Time between two lines where the output is not a terminal. */
const LINE_EVERY_MS = 5_000
const REDRAW_EVERY_MS = 100

export interface ProgressDisplay {
  show(progress: CrawlProgress): void
  /** Says what other crawlers hold, and for how long at most. */
  wait(held: readonly DuePublisher[], now: Date): void
  /** Ends the line on a terminal. */
  end(): void
}

/** Shows a crawl as one line that rewrites itself on a terminal, and as plain lines now and then (and each failure) elsewhere. */
export function crawlProgress(
  out: { readonly isTTY?: boolean; write(text: string): unknown },
  nowMs: () => number,
): ProgressDisplay {
  const startedAt = nowMs()
  const every = out.isTTY ? REDRAW_EVERY_MS : LINE_EVERY_MS
  let shownAt = Number.NEGATIVE_INFINITY
  let drawn = false
  let waits = false
  const draw = (line: string) => {
    shownAt = nowMs()
    drawn = true
    out.write(out.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
  }
  return {
    show(progress) {
      const { report } = progress
      waits = false
      if (!out.isTTY && report && report.result !== 'verified')
        out.write(`${report.domain}: ${report.result}: ${report.reason ?? ''}\n`)
      if (nowMs() - shownAt < every && progress.due > 0) return
      draw(progressLine(progress, nowMs() - startedAt))
    },
    wait(held, now) {
      // That a wait begins is said at once, the time that is left now and then.
      if (!waits || nowMs() - shownAt >= every) draw(describeWait(held, now))
      waits = true
    },
    end() {
      if (out.isTTY && drawn) out.write('\n')
    },
  }
}

/** `120 done, 3 failed, 5 without a file, 45.2/s, 12s left`. */
export function progressLine({ done, failed, absent, due }: CrawlProgress, elapsedMs: number): string {
  const rate = done / Math.max(elapsedMs / 1000, 0.001)
  const left = due === 0 ? 'nothing left' : `${Math.ceil(due / rate)}s left`
  return `${done} done, ${failed} failed, ${absent} without a file, ${rate.toFixed(1)}/s, ${left}`
}
