/** A stream over time: rate, lag, heartbeats and restarts, below each other on one time line. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { PointerEvent } from "react";
import { useState } from "react";

import type { Named } from "../api/ids";
import { jobId } from "../api/ids";
import { activity } from "../api/queries";
import type { ActivityMark, HeartbeatGap, JobActivity } from "../api/schema";
import { State } from "../parts/badges";
import { RunLink } from "../parts/links";
import { Section } from "../parts/page";
import { Figures } from "../parts/plots";
import { Answer, Empty } from "../parts/states";
import { Ago, countOf, durationOf, exactOf, rateOf } from "../parts/time";
import { intervalOf } from "../parts/zone";
import { strings } from "../strings";
import type { ActivityPoint, Step } from "./activity-figures";
import { happeningsOf, highestOf, pointsOf, STEPS, scaleOf, stepLine } from "./activity-figures";

const words = strings.activity;
const MOST_LISTED = 12;

export function Activity({ named, by }: { named: Named; by: Step }) {
  const query = useQuery(activity(jobId(named), by));
  const segments = (
    <span className="segments">
      {STEPS.map((step) => (
        <Link
          key={step}
          className="button"
          to="/job"
          search={{ ...named, by: step }}
          resetScroll={false}
          replace
          aria-current={step === by || undefined}
        >
          {strings.dataset[step]}
        </Link>
      ))}
    </span>
  );
  return (
    <Section title={words.title} note={segments}>
      <Answer of={query} lines={6}>
        {(found) => <ActivityOf found={found} by={by} />}
      </Answer>
    </Section>
  );
}

function ActivityOf({ found, by }: { found: JobActivity; by: Step }) {
  const points = pointsOf(found.steps, by, Date.now());
  const [pointed, setPointed] = useState<number>();
  if (points.length === 0) return <Empty>{words.nothing}</Empty>;
  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * points.length);
    setPointed(Math.min(points.length - 1, Math.max(0, index)));
  };
  const most = highestOf(
    points,
    ({ written }) => written,
    ({ read }) => read,
  );
  const lag = highestOf(points, (one) => one.lag);
  const scale = scaleOf(Date.parse(found.from), Date.parse(found.to));
  const marks = found.marks.map((mark) => ({ mark, x: scale(Date.parse(mark.at)) }));
  return (
    <>
      <figure className="activity" aria-label={words.help}>
        <Lane name={words.rate} high={rateOf(most)}>
          <Lines points={points} most={most} marks={marks} />
        </Lane>
        {lag > 0 && (
          <Lane name={words.lag} high={countOf(lag)}>
            <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
              <path
                className="lag-line"
                d={stepLine(points, (one) => one.lag, lag)}
                vectorEffect="non-scaling-stroke"
              />
              <Marks of={marks} />
            </svg>
          </Lane>
        )}
        <Lane name={words.heartbeats} isLow>
          <Heartbeats points={points} gaps={found.gaps} scale={scale} marks={marks} />
        </Lane>
        <div
          className={lag > 0 ? "activity-pointer has-lag" : "activity-pointer"}
          onPointerMove={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          {pointed !== undefined && <span style={{ left: `${((pointed + 0.5) / points.length) * 100}%` }} />}
        </div>
        <figcaption>
          <span className="axis">
            <span>{intervalOf(found.from, by)}</span>
            <strong className="plot-told">{points[pointed ?? -1]?.label}</strong>
            <span>{intervalOf(found.to, by)}</span>
          </span>
          <span className="activity-keys">
            {(["written", "read", "beat", "gap"] as const).map((kind) => (
              <span key={kind} className={`activity-key ${kind}`}>
                {words.keys[kind]}
              </span>
            ))}
          </span>
          <Figures of={points} />
        </figcaption>
      </figure>
      <Happenings of={found} />
    </>
  );
}

function Lane({
  name,
  high = "",
  isLow = false,
  children,
}: {
  name: string;
  high?: string;
  isLow?: boolean;
  children: React.ReactNode;
}) {
  return (
    <>
      <span className="activity-name">
        {name}
        {high && <span className="faint">{words.upTo(high)}</span>}
      </span>
      <div className={isLow ? "activity-lane low" : "activity-lane"}>{children}</div>
    </>
  );
}

type Marked = { mark: ActivityMark; x: number }[];

function Lines({ points, most, marks }: { points: ActivityPoint[]; most: number; marks: Marked }) {
  const high = Math.max(most, 1e-9);
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {(["read", "written"] as const).map((side) => (
        <path
          key={side}
          className={`rate-line ${side}`}
          d={stepLine(points, (one) => one[side], high)}
          vectorEffect="non-scaling-stroke"
        />
      ))}
      <Marks of={marks} />
    </svg>
  );
}

function Marks({ of }: { of: Marked }) {
  return of.map(({ mark, x }) => (
    <line
      key={`${mark.at} ${mark.kind} ${mark.run}`}
      className={`activity-mark ${mark.kind}`}
      x1={x}
      x2={x}
      y1={0}
      y2={100}
      vectorEffect="non-scaling-stroke"
    />
  ));
}

function Heartbeats({
  points,
  gaps,
  scale,
  marks,
}: {
  points: ActivityPoint[];
  gaps: HeartbeatGap[];
  scale: (at: number) => number;
  marks: Marked;
}) {
  const width = 100 / points.length;
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {points.map(
        ({ at, events }, index) =>
          Boolean(events) && <rect key={at} className="beat" x={index * width} y={10} width={width} height={80} />,
      )}
      {gaps.map(({ from, to }) => {
        const [left, right] = [scale(Date.parse(from)), scale(Date.parse(to))];
        return <rect key={from} className="beat-gap" x={left} y={0} width={Math.max(0.3, right - left)} height={100} />;
      })}
      <Marks of={marks} />
    </svg>
  );
}

/** The same in words, each start and end with its run. */
function Happenings({ of: { marks, gaps, silentAfterSeconds } }: { of: JobActivity }) {
  const all = happeningsOf(marks, gaps);
  if (all.length === 0) return <p className="faint">{words.quiet(durationOf(silentAfterSeconds * 1000))}</p>;
  return (
    <ul className="rows tight" aria-label={words.happenings}>
      {all.slice(0, MOST_LISTED).map((one) =>
        "kind" in one ? (
          <li key={`${one.at} ${one.kind} ${one.run}`}>
            <State state={one.kind} />
            <span className="row-main">
              <RunLink id={one.run} />
            </span>
            <Ago time={one.at} />
          </li>
        ) : (
          <li key={one.from}>
            <State state="silent" />
            <span className="row-main">
              {words.gap(durationOf(one.seconds * 1000), one.isOpen)}{" "}
              <span className="faint">
                {exactOf(one.from)} – {one.isOpen ? strings.times.now : exactOf(one.to)}
              </span>
            </span>
            <Ago time={one.from} />
          </li>
        ),
      )}
      {all.length > MOST_LISTED && <li className="faint">{words.more(all.length - MOST_LISTED)}</li>}
    </ul>
  );
}
