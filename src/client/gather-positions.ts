/** Gathers positions, and hands them out as one list; the next ones begin anew. */
export type Positions = {
  readonly add: (position: number) => void;
  readonly count: () => number;
  readonly take: () => Int32Array;
};

/**
 * In memory that is used again. A page has ten thousand values, and a plain list that grows to that leaves so much garbage
 * behind that a whole list took 12 MiB more, and a fifteenth of its time.
 */
export function gatherPositions(): Positions {
  let room = new Int32Array(1024);
  let count = 0;
  return {
    add: (position) => {
      if (count === room.length) room = grown(room);
      room[count] = position;
      count += 1;
    },
    count: () => count,
    take: () => {
      const taken = room.slice(0, count);
      count = 0;
      return taken;
    },
  };
}

function grown(room: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * room.length);
  larger.set(room);
  return larger;
}
