// The exported programs by their module for Rust.
mod six;
use six::{Array, State, View, ViewMut, lu, mlp, pick, softmax, stencil, train};

fn main() -> Result<(), six::Error> {
    let x = vec![1.0, 2.0, 3.0, 4.0];
    println!("{} {}", pick(&x, 2)?, pick(&x[..2], -1)?);
    let error = pick(&x, 9).unwrap_err();
    println!("{} {error} {}", error.code, error.code == six::sys::WEFT_INDEX_ERROR);
    let mut m = [0.0, 1.0, 2.0, 3.0];
    let rows = lu(ViewMut::new(&mut m, [2, 2]))?;
    println!("{m:?} {rows:?}");
    let mut ones = Array::new([2, 3]);
    ones.data.fill(1.0);
    let t = softmax(&ones)?;
    println!("{:.3} {} {:?}", t.data[5], t.data.len(), t.shape);
    let (one, w1, b1, w2, b2) = ([0.0; 8], [0.0; 128], [0.0; 16], [0.0; 64], [2.5; 4]);
    let row = || View::new(&one, [1, 8]);
    let y = mlp(row(), View::new(&w1, [8, 16]), &b1, View::new(&w2, [16, 4]), &b2)?;
    println!("{} {}", y.data[3], y.data.len());
    let error = mlp(row(), View::new(&w1, [16, 8]), &b1, View::new(&w2, [16, 4]), &b2).unwrap_err();
    println!("{} {error}", error.code);
    let (mut net, mut other) = (State::new()?, State::new()?);
    let (tx, ty) = ([0.1; 8], [1.0]);
    let first = train(&mut net, View::new(&tx, [1, 8]), &ty)?;
    other.load(&net.save())?;
    let second = std::thread::scope(|s| {
        s.spawn(|| train(&mut other, View::new(&tx, [1, 8]), &ty)).join().unwrap()
    })?;
    println!("{} {} {}", second < first, net.steps()[0], other.steps()[0]);
    println!("{}", other.load(&[0; 3]).unwrap_err());
    let (mut a, mut b) = ([1.0; 16], [1.0; 16]);
    stencil(ViewMut::new(&mut a, [4, 4]), ViewMut::new(&mut b, [4, 4]), 3)?;
    println!("{}", a[5]);
    Ok(())
}
